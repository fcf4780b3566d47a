import { z } from 'zod'

/** Servers that rank texts by a query. */
export const rerankProviders = ['local', 'custom'] as const

/** Where the model for ranking is. */
export interface RerankOptions {
  provider: (typeof rerankProviders)[number]
  /** The name that the server knows it by. */
  model: string
  /** With the version in its path, such as `http://127.0.0.1:8000/v1`: texts go to `/rerank` below it. */
  baseUrl: string
  apiKey?: string
}

/** A model that reads a query and a text together, and says how well the text answers it. */
export interface Reranker {
  readonly provider: string
  readonly model: string
  /**
   * Someone waits for it: it is asked once, for a few seconds.
   * @param texts at most 50; what is longer than 4,000 characters is cut
   * @returns a score from 0 to 1 for each text, in their order
   * @throws {RerankFault}
   */
  score(query: string, texts: readonly string[]): Promise<number[]>
}

/** Why texts were not ranked. Its message is safe to show: it holds no credential. */
export class RerankFault extends Error {
  override readonly name = 'RerankFault'
}

const mostTexts = 50
const mostCharacters = 4_000
/** Far more than 50 scores take, also where the server sends the texts back. */
const mostBytes = 2 * 2 ** 20
const patienceMs = 3_000

const Answer = z.object({
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
})

/**
 * The model that the configuration describes, by the protocol that Jina, Cohere, vLLM and llama.cpp share.
 * @param fetch the guarded one
 * @returns undefined where none is configured
 */
export function createReranker(
  options: RerankOptions | undefined,
  { fetch, timeoutMs = patienceMs }: { fetch: typeof globalThis.fetch; timeoutMs?: number },
): Reranker | undefined {
  if (!options) return undefined
  const { provider, model, baseUrl, apiKey } = options
  const url = `${baseUrl.replace(/\/+$/, '')}/rerank`
  const fault = (what: string, cause?: unknown) =>
    new RerankFault(`The rerank model ${model} (${provider}) ${what}`, { cause })

  const ask = async (query: string, documents: readonly string[]): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, query, documents, top_n: documents.length, return_documents: false }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await textOf(response)
    if (!response.ok) throw fault(`answered ${response.status}`)
    return JSON.parse(text)
  }

  return {
    provider,
    model,
    async score(query, texts) {
      if (texts.length === 0) return []
      const documents = texts.slice(0, mostTexts).map((text) => text.slice(0, mostCharacters).toWellFormed())
      let answer: unknown
      try {
        answer = await ask(query.toWellFormed(), documents)
      } catch (error) {
        if (error instanceof RerankFault) throw error
        const isLate = error instanceof Error && error.name === 'TimeoutError'
        throw fault(
          isLate ? `did not answer within ${timeoutMs / 1_000} seconds` : 'could not be asked',
          error,
        )
      }
      const parsed = Answer.safeParse(answer)
      if (!parsed.success) throw fault('answered with something other than scores')
      const scores = new Map(
        parsed.data.results.map(({ index, relevance_score }) => [index, relevance_score]),
      )
      const ordered = documents.map((_, index) => scores.get(index))
      const isWhole = scores.size === documents.length && parsed.data.results.length === documents.length
      if (!isWhole || !ordered.every((score) => score !== undefined))
        throw fault(`did not answer with one score for each of ${documents.length} texts`)
      return toParts(ordered)
    },
  }
}

/** Some servers answer with logarithms of odds, which are no parts of one. */
function toParts(scores: readonly number[]): number[] {
  const isPart = scores.every((score) => score >= 0 && score <= 1)
  return isPart ? [...scores] : scores.map((score) => 1 / (1 + Math.exp(-score)))
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > mostBytes) throw new RangeError('The answer is too long')
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}
