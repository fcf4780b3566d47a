import { createThreads, threadFile } from '../threads/pool.ts'
import { ThreadFault } from '../threads/threads.ts'
import type { EmbeddingTasks } from './embedding-thread.ts'
import { EmbeddingFault, type EmbeddingSource } from './port.ts'

/**
 * A model2vec model in a folder, in a thread of its own that is kept: it holds the table.
 * @param options `dimensions`: how many of the model's are used, from the first
 */
export function createStaticSource(options: {
  folder: string
  dimensions: number | undefined
}): EmbeddingSource {
  const threads = createThreads<EmbeddingTasks>({
    file: threadFile('embedding-thread', import.meta.url),
    threads: 1,
    keepMs: Number.POSITIVE_INFINITY,
    // Of the tokenizer; the table is outside of the heap.
    memoryMb: 1_024,
    // The first request reads up to 1 GB.
    deadlineMs: 60_000,
    maxWaiting: 100,
  })
  return {
    parallel: 1,
    async request({ texts, signal }) {
      // A request under way is not stopped: it takes milliseconds, and its thread would have to read the model again.
      signal.throwIfAborted()
      const task = { ...options, texts }
      const answer = await threads.run('embed', task, { owner: 'embed', maxWaiting: 100 }).catch(toFault)
      if ('reason' in answer) throw new EmbeddingFault(answer.reason, answer.message)
      const { sums, dimensions, tokens } = answer
      return {
        vectors: texts.map((_, index) => sums.subarray(index * dimensions, (index + 1) * dimensions)),
        tokens,
        estimated: false,
      }
    },
    close: () => threads.close(),
  }

  function toFault(error: unknown): never {
    if (!(error instanceof ThreadFault)) throw error
    const { reason, message } = error
    throw new EmbeddingFault(
      reason === 'died' ? 'missing' : 'transient',
      reason === 'died'
        ? `The model in ${options.folder} cannot be used: ${message}`
        : `The model in ${options.folder} has not answered: ${message}`,
      { cause: error },
    )
  }
}
