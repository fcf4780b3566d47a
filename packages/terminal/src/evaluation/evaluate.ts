import type { EvalQuery } from './collection.ts'
import { type Measures, mean, measure, percentile } from './measures.ts'

/** What a search has found. */
export interface EvalAnswer {
  /** The ids of documents, the best first; one that has several places counts at the first. */
  documents: string[]
  rankSource: string | undefined
  searchMs: number
}

/** A query with how well it was answered. */
export interface EvaluatedQuery extends Measures {
  id: string
  text: string
  /** The relevant documents that were not found, the most relevant first. */
  missed: string[]
  found: string[]
}

export interface Evaluation extends Measures {
  queries: number
  /** How many documents of each query counted. */
  top: number
  /** What results were ranked by: `keyword`, `vector` or `hybrid`. */
  rankSources: string[]
  searchMs: { p50: number; p95: number }
  /** Those with the lowest nDCG, the lowest first. */
  lost: EvaluatedQuery[]
}

/** How many lost queries are shown, and how many documents of each. */
const mostLost = 10
const mostNamed = 10

/**
 * Asks all queries, one after the other.
 * @throws the reason of the signal once it is aborted
 */
export async function evaluate(
  queries: readonly EvalQuery[],
  search: (query: string) => Promise<EvalAnswer>,
  { top, signal, onProgress }: { top: number; signal: AbortSignal; onProgress(done: number): void },
): Promise<Evaluation> {
  const asked: EvaluatedQuery[] = []
  const times: number[] = []
  const sources = new Set<string>()
  for (const { id, text, relevant } of queries) {
    signal.throwIfAborted()
    const { documents, rankSource, searchMs } = await search(text)
    const found = [...new Set(documents)].slice(0, top)
    const byRelevance = [...relevant].toSorted(([, a], [, b]) => b - a).map(([document]) => document)
    const missed = byRelevance.filter((document) => !found.includes(document)).slice(0, mostNamed)
    asked.push({ id, text, ...measure(found, relevant, top), missed, found: found.slice(0, mostNamed) })
    times.push(searchMs)
    if (rankSource !== undefined) sources.add(rankSource)
    onProgress(asked.length)
  }
  return {
    queries: queries.length,
    top,
    recall: rounded(mean(asked.map(({ recall }) => recall))),
    ndcg: rounded(mean(asked.map(({ ndcg }) => ndcg))),
    rankSources: [...sources],
    searchMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    lost: asked
      .filter(({ ndcg }) => ndcg < 1)
      .toSorted((a, b) => a.ndcg - b.ndcg)
      .slice(0, mostLost)
      .map((query) => ({ ...query, recall: rounded(query.recall), ndcg: rounded(query.ndcg) })),
  }
}

const rounded = (number: number) => Math.round(number * 10_000) / 10_000
