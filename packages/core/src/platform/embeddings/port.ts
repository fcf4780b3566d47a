/** Turns texts into vectors that are near each other when the texts mean about the same. */
export interface Embedder {
  /** As the configuration names them: vectors of different models cannot be compared, so both are stored with each. */
  readonly provider: string
  readonly model: string
  /** Of every vector. Known before the first call only where the configuration says it. */
  readonly dimensions: number | undefined
  /**
   * Embeds at most 4,096 texts of at most 50,000 characters each, none of them blank.
   * @returns one vector for each text, in their order, of length 1; all zeros where the model knows no word of a text
   * @throws {EmbeddingFault}
   * @throws the reason of `options.signal` when the caller gives up
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Embedded>
  /** Ends the thread of a model in a folder. */
  close(): Promise<void>
}

export interface EmbedOptions {
  /** Someone waits for a query: it does not queue behind documents, and a fault of the provider is told after seconds. */
  purpose: 'query' | 'document'
  signal?: AbortSignal | undefined
}

export interface Embedded {
  vectors: Float32Array[]
  tokens: number
  /** The provider did not count the tokens, of one text at least: they follow from the length of the texts. */
  estimated: boolean
}

/** One request to a model. */
export interface EmbeddingRequest {
  texts: readonly string[]
  purpose: EmbedOptions['purpose']
  signal: AbortSignal
}

/** What a model answers, vectors of any length. */
export interface EmbeddingAnswer {
  vectors: ReadonlyArray<ArrayLike<number>>
  tokens: number
  estimated: boolean
}

/** What is behind an embedder: a provider, or a model in a folder. */
export interface EmbeddingSource {
  /** How many requests for documents are sent to it at the same time, and how many for queries. */
  readonly parallel: number
  /** @throws {EmbeddingFault}, or anything once `signal` is aborted */
  request(request: EmbeddingRequest): Promise<EmbeddingAnswer>
  close(): Promise<void>
}

/**
 * Why texts were not embedded. `transient` and `quota` may pass (`quota` not before `retryAfterMs`). The others need a
 * person: `auth` another key, `input` other texts, `missing` a model or an address that can be used, `dimensions` a model
 * that answers with the vectors it was asked for.
 */
export type EmbeddingFailure = 'auth' | 'transient' | 'quota' | 'input' | 'dimensions' | 'missing'

/** The only error of an embedder. Its message is safe to show: it holds no credential. */
export class EmbeddingFault extends Error {
  override readonly name = 'EmbeddingFault'
  readonly reason: EmbeddingFailure
  /** Milliseconds to wait that the provider asked for. */
  readonly retryAfterMs: number | undefined

  constructor(
    reason: EmbeddingFailure,
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
  }
}
