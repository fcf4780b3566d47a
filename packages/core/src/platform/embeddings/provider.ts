import { embedMany } from 'ai'
import { type Clock, pause } from '../clock.ts'
import { estimateTokens } from '../models/port.ts'
import { type EmbeddingVendor, sdkEmbeddingModel, vendorUrl } from '../models/vendors.ts'
import { toEmbeddingFault } from './faults.ts'
import {
  type EmbeddingAnswer,
  EmbeddingFault,
  type EmbeddingRequest,
  type EmbeddingSource,
  type EmbedOptions,
} from './port.ts'

export interface EmbeddingProviderOptions {
  provider: EmbeddingVendor
  model: string
  /** Asked for where set; else the model's own. */
  dimensions?: number | undefined
  apiKey?: string | undefined
  /** With the version in its path. Required for `local` and `custom`. */
  baseUrl?: string | undefined
  /** Every request goes through it: the guarded one. */
  fetch: typeof globalThis.fetch
  clock: Clock
}

/** How long a request may take, how often it is sent, and for how long its sender may be told to wait. */
const patience: Record<EmbedOptions['purpose'], Patience> = {
  query: { deadlineMs: 10_000, attempts: 2, longestWaitMs: 1_000 },
  document: { deadlineMs: 120_000, attempts: 4, longestWaitMs: 30_000 },
}
interface Patience {
  deadlineMs: number
  attempts: number
  longestWaitMs: number
}

/** Before the second attempt; it doubles with each. */
const firstWaitMs = 500

/**
 * A model of a provider, on the AI SDK. Key and address come from the options alone, never from the environment.
 * @throws {EmbeddingFault} `missing` when `local` or `custom` has no address, `auth` when OpenAI has no key
 */
export function createEmbeddingProvider(options: EmbeddingProviderOptions): EmbeddingSource {
  const { provider, apiKey, fetch, clock } = options
  const baseUrl = vendorUrl(provider, options.baseUrl)
  if (!baseUrl) throw new EmbeddingFault('missing', `Embeddings of type ${provider} need embeddings.baseUrl`)
  if (provider === 'hosted_b' && !apiKey)
    throw new EmbeddingFault('auth', `Embeddings of type ${provider} need embeddings.apiKey`)
  const model = sdkEmbeddingModel({ type: provider, baseUrl, apiKey, fetch }, options.model)

  const ask = async ({ texts, purpose, signal }: EmbeddingRequest): Promise<EmbeddingAnswer> => {
    const deadline = AbortSignal.timeout(patience[purpose].deadlineMs)
    const { embeddings, usage, responses } = await embedMany({
      model,
      values: [...texts],
      ...(options.dimensions && { dimensions: options.dimensions }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
      // Texts hold the customer's material: not given to the host program's telemetry.
      telemetry: { isEnabled: false },
    })
    const isCounted = Number.isSafeInteger(usage.tokens) && usage.tokens >= 0
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    return {
      vectors: inOrder(embeddings, responses?.length === 1 ? responses[0]?.body : undefined),
      tokens: isCounted ? usage.tokens : estimateTokens(characters),
      estimated: !isCounted,
    }
  }

  return {
    parallel: 4,
    async request(request) {
      const { purpose, signal } = request
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await ask(request)
        } catch (error) {
          signal.throwIfAborted()
          const about = { provider, now: clock.now(), ...(apiKey && { secret: apiKey }) }
          const fault = toEmbeddingFault(error, about)
          const waitMs = attempt < patience[purpose].attempts ? waitAfter(fault, attempt) : undefined
          if (waitMs === undefined || waitMs > patience[purpose].longestWaitMs) throw fault
          await pause(clock, waitMs, signal)
        }
      }
    },
    close: async () => undefined,
  }
}

/** Milliseconds until another attempt makes sense; undefined when it does not. A used-up quota says when, or lasts. */
function waitAfter({ reason, retryAfterMs }: EmbeddingFault, attempt: number): number | undefined {
  if (reason === 'quota') return retryAfterMs
  if (reason !== 'transient') return undefined
  return Math.max(retryAfterMs ?? 0, firstWaitMs * 2 ** (attempt - 1))
}

/** The vectors in the order of the texts, which servers may say by `index`; the SDK does not look at it. */
function inOrder(vectors: number[][], body: unknown): number[][] {
  const data: unknown = (body as { data?: unknown } | null | undefined)?.data
  if (!Array.isArray(data)) return vectors
  const places = data.map((entry: unknown) => (entry as { index?: unknown } | null)?.index)
  const ordered = vectors.map((_, index) => vectors[places.indexOf(index)])
  // Some servers give every vector the same index, or none.
  return ordered.every((vector) => vector !== undefined) ? ordered : vectors
}
