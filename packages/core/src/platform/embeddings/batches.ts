import PQueue from 'p-queue'
import {
  type Embedded,
  EmbeddingFault,
  type EmbeddingRequest,
  type EmbeddingSource,
  type EmbedOptions,
} from './port.ts'

/** Of one call. */
const mostTexts = 4_096
/** Of one text, in characters: more than any model reads of it. */
const longestText = 50_000
/** Of one request: its answer stays within what the guard lets in, and is parsed in milliseconds. */
const batchTexts = 16
const batchCharacters = 50_000
/** Requests that wait for the same model. */
const mostWaiting = 1_000

/** @throws {EmbeddingFault} `input` that names the text by its position, from 1 */
export function checkTexts(texts: readonly string[]): void {
  if (texts.length > mostTexts)
    throw new EmbeddingFault('input', `${texts.length} texts are too many: ${mostTexts} are the most`)
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') throw new EmbeddingFault('input', `Text ${index + 1} is blank`)
    if (text.length > longestText)
      throw new EmbeddingFault(
        'input',
        `Text ${index + 1} has ${text.length} characters: ${longestText} are the most`,
      )
  }
}

/** Consecutive texts that fit into one request. */
export function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = []
  let characters = 0
  for (const text of texts) {
    const last = batches.at(-1)
    characters += text.length
    if (last && last.length < batchTexts && characters <= batchCharacters) last.push(text)
    else {
      batches.push([text])
      characters = text.length
    }
  }
  return batches
}

/** Embeds checked texts by requests to one source, a few at a time. */
export interface Batches {
  /** Of every vector; known from the first answer on where the configuration does not say it. */
  readonly dimensions: number | undefined
  /** @throws the first {@link EmbeddingFault}, with which the other requests of the call end */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Embedded>
}

/** @param about `name` of the model for messages; `dimensions` that the configuration asks for */
export function createBatches(
  source: EmbeddingSource,
  about: { name: string; dimensions: number | undefined },
): Batches {
  // Apart, since documents may take minutes, or wait for a provider that is overloaded.
  const queues = {
    query: new PQueue({ concurrency: source.parallel }),
    document: new PQueue({ concurrency: source.parallel }),
  }
  let { dimensions } = about

  const checked = (vector: ArrayLike<number>): Float32Array => {
    dimensions ??= vector.length || undefined
    if (vector.length === dimensions) return toUnit(vector, about.name)
    const expected = about.dimensions
      ? `${about.dimensions} as embeddings.dimensions says: set another number or another model`
      : `${dimensions ?? 'any'} as before: the model behind the name is another one, so restart and index again`
    throw new EmbeddingFault(
      'dimensions',
      `${about.name} answered with a vector of ${vector.length} dimensions, not ${expected}`,
    )
  }
  const ask = async (request: EmbeddingRequest): Promise<Embedded> => {
    const { vectors, tokens, estimated } = await source.request(request)
    return { vectors: vectors.map(checked), tokens, estimated }
  }

  return {
    get dimensions() {
      return dimensions
    },
    async embed(texts, { purpose, signal: caller }) {
      caller?.throwIfAborted()
      const batches = batchesOf(texts)
      const queue = queues[purpose]
      if (queue.size + batches.length > mostWaiting)
        throw new EmbeddingFault('transient', `${about.name} has too many texts to embed at the moment`)
      const stop = new AbortController()
      const signal = caller ? AbortSignal.any([caller, stop.signal]) : stop.signal
      try {
        const answers = await Promise.all(
          batches.map((batch) => queue.add(() => ask({ texts: batch, purpose, signal }), { signal })),
        )
        return {
          vectors: answers.flatMap(({ vectors }) => vectors),
          tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0),
          estimated: answers.some(({ estimated }) => estimated),
        }
      } catch (error) {
        stop.abort()
        caller?.throwIfAborted()
        throw error
      }
    },
  }
}

/** The vector with length 1; one of zeros stays one. */
function toUnit(vector: ArrayLike<number>, name: string): Float32Array {
  const unit = Float32Array.from(vector)
  let squares = 0
  for (let i = 0; i < vector.length; i += 1) squares += (vector[i] as number) ** 2
  if (!Number.isFinite(squares))
    throw new EmbeddingFault('dimensions', `${name} answered with a vector of numbers that are too large`)
  const length = Math.sqrt(squares)
  if (length > 0) for (let i = 0; i < unit.length; i += 1) unit[i] = (vector[i] as number) / length
  return unit
}
