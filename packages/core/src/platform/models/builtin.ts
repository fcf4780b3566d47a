import { performance } from 'node:perf_hooks'
import { knowledgeQuery, type StructuredBrief } from '@copydesk/writer'
import { z } from 'zod'
import { type Clock, pause } from '../clock.ts'
import { ThreadFault } from '../threads/threads.ts'
import {
  estimateTokens,
  ModelError,
  type ModelProvider,
  type ModelRequest,
  type ModelSink,
  type ModelUsage,
} from './port.ts'

/** The model name of the built-in writer; it has a price of zero. */
export const BUILTIN_WRITER = 'builtin-writer'

const NO_BRIEF = [
  'Copydesk’s built-in writer received the request and is ready.',
  'It composes pieces from a campaign’s brief and cannot answer questions or work without one; connect a model provider for that.',
  'No model was used.',
].join(' ')

/**
 * The provider that needs no network, no key and no model. It composes Markdown from `request.brief`, the same bytes
 * for the same brief, and says so in the piece. Of the tools it calls the one that searches the client's documents, for research notes.
 * @param options `compose` makes the piece away from the event loop, since a brief may be long and odd; `paceMs` milliseconds
 *   between two pieces of the stream, 0 (the default) for all at once
 */
export function createBuiltinWriter(options: {
  clock: Clock
  compose: Compose
  id?: string
  paceMs?: number
}): ModelProvider {
  const { clock, compose, id = 'builtin', paceMs = 0 } = options
  return {
    id,
    type: 'builtin',
    models: [BUILTIN_WRITER],
    check: async () => ({
      ok: true,
      reached: true,
      message: 'The built-in writer is ready. It is no model and needs no network.',
    }),
    generate: async (request, sink) => {
      request.signal?.throwIfAborted()
      const text = request.brief
        ? await composed(compose, await withPassages(request, request.brief, sink), request.signal)
        : NO_BRIEF
      const startedAt = clock.now()
      let written = ''
      let status: 'completed' | 'cancelled' = 'cancelled'
      const write = (piece: string) => {
        written += piece
        sink.textDelta(piece)
      }
      try {
        await tell(text, write, request.signal, (signal) => pause(clock, paceMs, signal))
        status = 'completed'
      } finally {
        const usage = usageOf(request, written)
        sink.modelCall({ text: written, usage, durationMs: clock.now() - startedAt, status })
      }
      return {
        text,
        turns: 1,
        usage: usageOf(request, text),
        finishReason: 'stop',
        model: BUILTIN_WRITER,
      }
    },
  }
}

const Passages = z.array(z.object({ n: z.number(), title: z.string(), text: z.string() }))

/** The brief with what the client's documents say, where the step has a use for it and there is a tool to ask. */
async function withPassages(
  { tools = [], signal }: ModelRequest,
  brief: StructuredBrief,
  sink: ModelSink,
): Promise<StructuredBrief> {
  const tool = tools.find(({ name }) => name === 'knowledge_search')
  const query = tool && knowledgeQuery(brief)
  if (!query) return brief
  const call = { id: 'search', name: tool.name }
  const startedAt = performance.now()
  const told = () => ({ ...call, durationMs: performance.now() - startedAt })
  sink.toolCall({ ...call, input: { query } })
  try {
    const output = await tool.execute(tool.input.parse({ query }), { id: call.id, ...(signal && { signal }) })
    sink.toolResult({ ...told(), output })
    return { ...brief, passages: Passages.parse(output) }
  } catch (error) {
    sink.toolResult({ ...told(), error: error instanceof Error ? error.message : String(error) })
    return brief
  }
}

/** Makes a piece of a brief. @throws ThreadFault */
export type Compose = (brief: StructuredBrief, signal: AbortSignal | undefined) => Promise<string>

async function composed(
  compose: Compose,
  brief: StructuredBrief,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await compose(brief, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof ThreadFault)) throw error
    const { reason } = error
    throw reason === 'full' || reason === 'closed'
      ? new ModelError('transient', 'The built-in writer has too much to do at the moment')
      : new ModelError(
          'invalid',
          'The built-in writer makes no sense of this brief: make it shorter or plainer',
        )
  }
}

async function tell(
  text: string,
  write: (piece: string) => void,
  signal: AbortSignal | undefined,
  wait: (signal: AbortSignal | undefined) => Promise<void>,
): Promise<void> {
  let first = true
  for (const piece of text.match(/\s*\S+(?:[^\S\n]+\S+){0,2}\s*$|\s*\S+(?:[^\S\n]+\S+){0,2}/g) ?? []) {
    if (!first) await wait(signal)
    first = false
    signal?.throwIfAborted()
    write(piece)
  }
}

function usageOf(request: ModelRequest, text: string): ModelUsage {
  return {
    inputTokens: estimateTokens(`${request.system ?? ''}${request.prompt}`.length),
    outputTokens: estimateTokens(text.length),
    estimated: true,
  }
}
