import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../../kernel/context.ts'
import { type FoundChunk, readChunks, requireDatasets } from './chunk-queries.ts'
import { withFeedback } from './feedback.ts'
import { embedQuery, nearestChunks } from './nearest.ts'
import { postgresWords } from './postgres-words-queries.ts'
import type { KnowledgeResult, KnowledgeResults, KnowledgeSearch } from './schemas.ts'
import { sqliteWords } from './sqlite-words-queries.ts'
import { exactCounter, termsOf } from './terms.ts'
import type { Ranked, WordQuery } from './words.ts'

/** How many of the best by words, and of the best by vectors, are weighed against each other. */
const mostOfEach = 50

/**
 * The chunks of some datasets that answer a query best, by words, by vectors or by both.
 *
 * A score is `hybridAlpha` times the cosine, plus the rest times how well the words fit (`searchWords`, then `withFeedback`). What stands in
 * quotation marks in the query, and signs such as `AB-1234`, are weighed first: with n of them, a chunk that has m of them as they are has
 * (m + score) / (n + 1). Not so where the search is by vectors only.
 * @throws DomainError `NOT_FOUND` when a dataset is not in the context's scope
 */
export async function searchKnowledge(ctx: Ctx, search: KnowledgeSearch): Promise<KnowledgeResults> {
  const began = performance.now()
  const datasetIds = [...new Set(search.datasetIds)]
  await requireDatasets(ctx, datasetIds)
  const { words: anyOf, exact } = termsOf(search.query.replaceAll('\0', ' '))
  const byWords = (terms: readonly string[]) => searchWords(ctx, { datasetIds, terms, most: mostOfEach })
  const [vector, ...byTerms] = await Promise.all([
    search.hybridAlpha > 0 ? embedQuery(ctx, search.query) : undefined,
    byWords(anyOf),
    byWords(exact),
  ])
  const [words] = byTerms
  const also = new Set(byTerms.flat().map(({ seq }) => seq))
  const near = vector && (await nearestChunks(ctx, vector, { datasetIds, most: mostOfEach, also }))
  const alpha = near ? search.hybridAlpha : 0
  const found = new Set([...also, ...(near ?? []).map(({ seq }) => seq)])
  const chunks = await readChunks(ctx, datasetIds, [...found])
  const scoreOf = createScore({ alpha, near: near ?? [], words: fitsOf(words, chunks), exact })
  const results = chunks
    .map((chunk) => ({ chunk, score: scoreOf(chunk) }))
    .filter(({ score }) => score > 0 && score >= (search.minScore ?? 0))
    .toSorted((a, b) => b.score - a.score || inOrder(a.chunk, b.chunk))
    .slice(0, search.topK)
    .map(({ chunk, score }) => toResult(chunk, score, alpha))
  return { results, searchMs: Math.round((performance.now() - began) * 10) / 10 }
}

/**
 * The chunks that have any of some terms, the best first. They are ranked by BM25 (k1 1.2, b 0.75, a heading counts twice); the score is the
 * part of the best that is possible, see `bestPossible`. The words of one term stand next to each other, stemmed.
 */
async function searchWords(ctx: Ctx, query: WordQuery): Promise<Ranked[]> {
  if (query.terms.length === 0) return []
  return ctx.db.dialect === 'sqlite' ? sqliteWords(ctx, query) : postgresWords(ctx, query)
}

/** How well chunks fit by words, with those that the best of them have in common. */
function fitsOf(words: readonly Ranked[], chunks: readonly FoundChunk[]): ReadonlyMap<number, number> {
  const texts = new Map(chunks.map(({ seq, text }) => [seq, text]))
  return withFeedback(words, (seq) => texts.get(seq))
}

function createScore(of: {
  alpha: number
  near: readonly Ranked[]
  words: ReadonlyMap<number, number>
  exact: readonly string[]
}): (chunk: FoundChunk) => number {
  const cosines = new Map(of.near.map(({ seq, score }) => [seq, score]))
  const exact = of.alpha < 1 ? of.exact : []
  const countExact = exactCounter(exact)
  return ({ seq, heading, text }) => {
    const score = of.alpha * (cosines.get(seq) ?? 0) + (1 - of.alpha) * (of.words.get(seq) ?? 0)
    return (countExact(`${heading ?? ''}\n${text}`) + score) / (exact.length + 1)
  }
}

function inOrder(a: FoundChunk, b: FoundChunk): number {
  if (a.fileId !== b.fileId) return a.fileId < b.fileId ? -1 : 1
  return a.ordinal - b.ordinal
}

function toResult(chunk: FoundChunk, score: number, alpha: number): KnowledgeResult {
  const { page, heading, url, publishedAt } = chunk
  return {
    chunkId: chunk.id,
    fileId: chunk.fileId,
    fileName: chunk.fileName,
    datasetId: chunk.datasetId,
    content: chunk.text,
    score,
    rankSource: alpha === 0 ? 'keyword' : alpha === 1 ? 'vector' : 'hybrid',
    metadata: {
      ...(page !== null && { pageNumber: page }),
      ...(heading !== null && { heading }),
      ...(url !== null && { url }),
      ...(publishedAt !== null && { publishedAt }),
    },
  }
}
