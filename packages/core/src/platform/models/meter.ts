import { APICallError, type LanguageModelMiddleware } from 'ai'
import type { Clock } from '../clock.ts'
import {
  estimateTokens,
  type ModelCall,
  type ModelFailure,
  type ModelUsage,
  type RateLimits,
} from './port.ts'

/** Watches the requests of one piece of work, nearest to the wire: what a failure or a cancellation cost is seen too. */
export interface Meter {
  middleware: LanguageModelMiddleware
  /** Tells of the request that is still open, if there is one; called when the work has broken off. */
  settle(error: unknown, cancelled: boolean): void
}

interface Open {
  startedAt: number
  /** Characters that were sent, and that came back. */
  sent: number
  received: number
  text: string
  /** Whether an answer began: before that a failed request has cost nothing. */
  begun: boolean
  limits?: RateLimits
}

/**
 * @param tell hears of each request once
 * @param classify sorts a failure into its family
 */
export function createMeter(options: {
  clock: Clock
  tell(call: ModelCall): void
  classify(error: unknown): ModelFailure
}): Meter {
  const { clock, tell, classify } = options
  let open: Open | undefined

  const end = (status: ModelCall['status'], usage: ModelUsage, family?: ModelFailure) => {
    if (!open) return
    const { startedAt, text, limits } = open
    open = undefined
    const durationMs = clock.now() - startedAt
    tell({ text, usage, durationMs, status, ...(family && { family }), ...(limits && { limits }) })
  }
  /** What an answer without a last word has cost, no one says. */
  const guess = ({ sent, received }: Open): ModelUsage => ({
    inputTokens: estimateTokens(sent),
    outputTokens: estimateTokens(received),
    estimated: true,
  })
  const fail = (error: unknown) => {
    if (open) end('failed', open.begun ? guess(open) : { inputTokens: 0, outputTokens: 0 }, classify(error))
  }
  const finish = (
    reason: string,
    { inputTokens, outputTokens }: { inputTokens: number | undefined; outputTokens: number | undefined },
  ) => {
    if (!open) return
    // Some servers count nothing, and a stream that was cut has no count.
    const counted = inputTokens !== undefined && outputTokens !== undefined
    const usage = counted ? { inputTokens, outputTokens } : guess(open)
    if (reason === 'content-filter') end('failed', usage, 'refusal')
    else if (reason === 'error' || reason === 'interrupted') end('failed', usage, 'transient')
    else end('completed', usage)
  }

  return {
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ doStream, params }) => {
        const call: Open = {
          startedAt: clock.now(),
          sent: JSON.stringify([params.prompt, params.tools ?? []]).length,
          received: 0,
          text: '',
          begun: false,
        }
        open = call
        const result = await Promise.resolve(doStream()).catch((error: unknown) => {
          const limits = APICallError.isInstance(error) ? limitsIn(error.responseHeaders) : undefined
          if (limits) call.limits = limits
          // Anyone who gives up while the answer is awaited has sent the prompt all the same.
          if (!params.abortSignal?.aborted) fail(error)
          throw error
        })
        const limits = limitsIn(result.response?.headers)
        if (limits) call.limits = limits
        type Part = typeof result.stream extends ReadableStream<infer P> ? P : never
        const count = new TransformStream<Part, Part>({
          transform: (part, out) => {
            out.enqueue(part)
            switch (part.type) {
              case 'text-delta':
                call.text += part.delta
                call.received += part.delta.length
                call.begun = true
                break
              case 'reasoning-delta':
              case 'tool-input-delta':
                call.received += part.delta.length
                call.begun = true
                break
              case 'response-metadata':
                call.begun = true
                break
              case 'error':
                fail(part.error)
                break
              case 'finish':
                finish(part.finishReason.unified, {
                  inputTokens: part.usage.inputTokens.total,
                  outputTokens: part.usage.outputTokens.total,
                })
                break
              default:
                break
            }
          },
        })
        return { ...result, stream: result.stream.pipeThrough(count) }
      },
    },
    settle(error, cancelled) {
      if (!open) return
      if (cancelled) end('cancelled', guess(open))
      else fail(error)
    },
  }
}

/** Each vendor's headers for the same thing; a provider's own limit on all tokens goes before one on input alone. */
const requestHeaders = ['anthropic-ratelimit-requests-limit', 'x-ratelimit-limit-requests']
const tokenHeaders = [
  'anthropic-ratelimit-tokens-limit',
  'anthropic-ratelimit-input-tokens-limit',
  'x-ratelimit-limit-tokens',
]

/** What a provider admits in a minute, as the headers of an answer say; undefined when they say nothing. */
function limitsIn(headers: Readonly<Record<string, string>> | undefined): RateLimits | undefined {
  const requests = first(headers, requestHeaders)
  const tokens = first(headers, tokenHeaders)
  if (requests === undefined && tokens === undefined) return undefined
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) }
}

function first(headers: Readonly<Record<string, string>> = {}, names: readonly string[]): number | undefined {
  for (const name of names) {
    const text = headers[name]
    if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text)
  }
  return undefined
}
