import type { Clock } from '../../clock.ts'
import type { ModelProvider, ModelRequest, ModelResult, ModelSink } from '../port.ts'
import { compose } from './compose.ts'

/** The model name of the built-in writer; it has a price of zero. */
export const BUILTIN_WRITER = 'builtin-writer'

const NO_BRIEF = [
  'Copydesk’s built-in writer received the request and is ready.',
  'It composes pieces from a campaign’s brief and cannot answer questions or work without one; connect a model provider for that.',
  'No model was used.',
].join(' ')

/**
 * The provider that needs no network, no key and no model. It composes Markdown from `request.brief`, the same bytes
 * for the same brief, and says so in the piece. It calls no tools.
 * @param options `paceMs` milliseconds between two pieces of the stream, 0 (the default) for all at once
 */
export function createBuiltinWriter(options: { clock: Clock; id?: string; paceMs?: number }): ModelProvider {
  const { clock, id = 'builtin', paceMs = 0 } = options
  return {
    id,
    type: 'builtin',
    models: [BUILTIN_WRITER],
    check: async () => ({
      ok: true,
      message: 'The built-in writer is ready. It is no model and needs no network.',
    }),
    generate: async (request, sink) => {
      request.signal?.throwIfAborted()
      const text = request.brief ? compose(request.brief) : NO_BRIEF
      await tell(text, sink, request.signal, (signal) => pause(clock, paceMs, signal))
      return resultOf(request, text)
    },
  }
}

async function tell(
  text: string,
  sink: ModelSink,
  signal: AbortSignal | undefined,
  wait: (signal: AbortSignal | undefined) => Promise<void>,
): Promise<void> {
  let first = true
  for (const piece of text.match(/\s*\S+(?:[^\S\n]+\S+){0,2}\s*$|\s*\S+(?:[^\S\n]+\S+){0,2}/g) ?? []) {
    if (!first) await wait(signal)
    first = false
    signal?.throwIfAborted()
    sink.textDelta(piece)
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function resultOf(request: ModelRequest, text: string): ModelResult {
  return {
    text,
    turns: 1,
    usage: {
      inputTokens: tokensOf(`${request.system ?? ''}${request.prompt}`),
      outputTokens: tokensOf(text),
      estimated: true,
    },
    finishReason: 'stop',
    model: BUILTIN_WRITER,
  }
}

/** Nothing counts tokens here; four characters a token is what English comes to. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}
