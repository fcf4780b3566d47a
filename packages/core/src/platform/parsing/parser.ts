import type { Bree } from '../threads/bree.ts'
import { createThreads } from '../threads/pool.ts'
import { type TaskOptions, ThreadFault } from '../threads/threads.ts'
import type { HtmlPage } from './html.ts'
import type { PageInput, Parsed, ParseInput, parseTasks } from './parse-tasks.ts'
import { type ParsedDocument, ParseFault } from './parsed.ts'

type ParseTasks = typeof parseTasks

/** What the threads of a parser do: what is asked for here, and what contexts add that read documents in their own way. */
export interface DocumentTasks extends ParseTasks {}

type ValueOf<N extends keyof DocumentTasks> =
  Awaited<ReturnType<DocumentTasks[N]>> extends Parsed<infer T> ? T : never

/** Reads documents away from the event loop. The libraries are loaded in the threads that need them, and let go with those. */
export interface DocumentParser {
  /**
   * Reads a document. Hand over the path of a file where there is one: its bytes are then in memory once, in the thread, and not a
   * second time in the process that asks.
   * @throws ParseFault why there is no text, for the person who uploaded it; ThreadFault when too many wait, `signal` is aborted,
   *   or the parser is closed
   */
  parse(input: ParseInput, options: ParseOptions): Promise<ParsedDocument>
  /** Reads a web page with its links. @throws as `parse` */
  readPage(input: PageInput, options: ParseOptions): Promise<HtmlPage>
  /** Does one of the tasks. @throws as `parse` */
  run<N extends keyof DocumentTasks>(
    task: N,
    input: Parameters<DocumentTasks[N]>[0],
    options: ParseOptions,
  ): Promise<ValueOf<N>>
  /** Stops what is being read. */
  close(): Promise<void>
}

export interface ParseOptions extends Pick<TaskOptions, 'signal'> {
  /** For whom; of one owner's documents one is read at a time. */
  owner: string
}

export interface ParserLimits {
  /** How many documents are read at a time. */
  threads?: number
  /** Of the heap of one thread. */
  heapMb?: number
  /** Of the buffers of one thread: the file, and what is unpacked of it. */
  bufferMb?: number
  deadlineMs?: number
}

/**
 * @param file the entry of the threads, which do all `DocumentTasks`
 * @param limits of one document; by default two documents at a time, and for each a minute, 384 MB of heap and 192 MB of buffers
 */
export function createParser(
  bree: Pick<Bree, 'startThread'>,
  file: URL,
  { threads: count = 2, heapMb = 384, bufferMb = 192, deadlineMs = 60_000 }: ParserLimits = {},
): DocumentParser {
  const maxWaiting = 1_000
  const threads = createThreads<{ [N in keyof DocumentTasks]: DocumentTasks[N] }>({
    file,
    start: bree.startThread,
    threads: count,
    // Documents take memory that other work can use until the next one.
    keepMs: 0,
    // Large strings and tables are allocated at once.
    memoryMb: 4 * heapMb,
    youngMb: 4,
    watch: { heapMb, bufferMb },
    deadlineMs,
    maxWaiting,
  })
  const run: DocumentParser['run'] = (task, input, options) =>
    toResult(threads.run(task, input as never, { ...options, maxWaiting }) as never)
  return {
    parse: (input, options) => run('parse', input, options),
    readPage: (input, options) => run('page', input, options),
    run,
    close: () => threads.close(),
  }
}

async function toResult<T>(parsed: Promise<Parsed<T>>): Promise<T> {
  const result = await parsed.catch((error: unknown) => {
    throw toParseFault(error)
  })
  if ('fault' in result) throw new ParseFault(result.fault.reason, result.fault.message, result.fault.cause)
  return result.value
}

function toParseFault(error: unknown): unknown {
  if (!(error instanceof ThreadFault)) return error
  const { reason, outOfMemory } = error
  if (reason === 'deadline')
    return new ParseFault(
      'too_slow',
      'This file takes too long to read. Split it into several files, or save it again in another format.',
      error,
    )
  if (outOfMemory)
    return new ParseFault(
      'too_large',
      'This file takes too much memory to read. Split it into several files and upload those.',
      error,
    )
  return error
}
