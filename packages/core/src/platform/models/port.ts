import type { StructuredBrief } from '@copydesk/writer'
import type { ZodType } from 'zod'

/** What stands behind a provider; the names that the contract uses. */
export type ModelProviderType = 'hosted_a' | 'hosted_b' | 'local' | 'custom' | 'builtin'

/** A source of text: a hosted model, a server on the local network, or the writer that comes with the product. */
export interface ModelProvider {
  id: string
  type: ModelProviderType
  /** Names that this provider is known to serve; others may work too. */
  models: readonly string[]
  /** Says whether the provider can be reached and accepts the credentials. Never throws, spends no tokens. */
  check(signal?: AbortSignal): Promise<ModelCheck>
  /**
   * Writes one answer, running the tools that the model asks for, up to `maxTurns` model calls.
   * @throws {ModelError} when the provider fails; never retries by itself
   * @throws the reason of `request.signal` when the caller gives up
   */
  generate(request: ModelRequest, sink: ModelSink): Promise<ModelResult>
}

export interface ModelCheck {
  ok: boolean
  /** False when nothing answered at its address. */
  reached: boolean
  /** One sentence for a person: what was found and, when it is wrong, what to do. */
  message: string
  detail?: string
}

export interface ModelRequest {
  model: string
  system?: string
  prompt: string
  tools?: readonly ModelTool[]
  /** The most model calls that tool results may lead to, 1 or more. */
  maxTurns: number
  maxOutputTokens?: number
  signal?: AbortSignal
  /**
   * Asked before each request but the first, when the one before it has been told to the sink.
   * @returns the error that ends the work, which `generate` then throws as it is
   */
  mayGoOn?(): Error | undefined
  /** The facts of the piece as data. Models read the prompt; the built-in writer reads this. */
  brief?: StructuredBrief
}

/** A function that the model may call. Calls of one turn run one after the other. */
export interface ModelTool {
  name: string
  description: string
  input: ZodType
  /**
   * @param input what the model gave, after `input` has parsed it
   * @throws anything: the message goes back to the model, which may try another way
   */
  execute(input: unknown, call: { id: string; signal?: AbortSignal }): Promise<unknown>
  /** What a model reads of an output; default: the output as JSON. */
  render?(output: unknown): string
}

/** Hears what happens while it happens, in order. A tool call is always told before its result. */
export interface ModelSink {
  textDelta(delta: string): void
  toolCall(call: { id: string; name: string; input: unknown }): void
  /** `error` is set, and `output` is not, when the tool failed or its input was refused. */
  toolResult(result: {
    id: string
    name: string
    output?: unknown
    error?: string
    /** Milliseconds that the tool ran; 0 when it was not started. */
    durationMs: number
  }): void
  /** Every request to the provider once it has ended, well or not: what it cost is spent either way. */
  modelCall(call: ModelCall): void
}

/** One request to a provider. */
export interface ModelCall {
  /** What was written, as far as it came. */
  text: string
  usage: ModelUsage
  /** Milliseconds from the request to the end of its answer, without the time of tools. */
  durationMs: number
  status: 'completed' | 'failed' | 'cancelled'
  /** Of a failed one. */
  family?: ModelFailure
  /** What the provider admits, where its answer says so. */
  limits?: RateLimits
}

/** What a provider admits in a minute. */
export interface RateLimits {
  requests?: number
  tokens?: number
}

export interface ModelUsage {
  inputTokens: number
  outputTokens: number
  /** Set when the counts are worked out from the length of the text and not told by a provider. */
  estimated?: true
}

export interface ModelResult {
  /** The text of the last turn that had any; earlier turns are only in the deltas. */
  text: string
  turns: number
  /** Sums over all turns. */
  usage: ModelUsage
  /** `tool-calls` when `maxTurns` ended the work before the model did, `length` when the text was cut off. */
  finishReason: 'stop' | 'length' | 'tool-calls' | 'other'
  model: string
}

/**
 * Why a call failed, which decides what may be done next: `transient` and `quota` may be tried again (`quota` not
 * before `retryAfterMs`), the others need a person or another request.
 */
export type ModelFailure = 'transient' | 'quota' | 'auth' | 'refusal' | 'invalid' | 'internal'

/** The only error of a provider. Its message is safe to show: it holds no credential. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly family: ModelFailure
  /** Milliseconds to wait that the provider asked for. */
  readonly retryAfterMs?: number

  constructor(
    family: ModelFailure,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.family = family
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** Tokens of so many characters where no one counts them: four characters a token is what English comes to. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4)
}
