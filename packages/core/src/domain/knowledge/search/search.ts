import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../../kernel/context.ts'
import type { StemmedLanguage } from '../stemming/function-words.ts'
import { type FoundChunk, readChunks, requireDatasets } from './chunk-queries.ts'
import { withFeedback } from './feedback.ts'
import { embedQuery, type Nearest, nearestChunks } from './nearest.ts'
import { postgresWords } from './postgres-words-queries.ts'
import { rerank } from './rerank.ts'
import type { KnowledgeResult, KnowledgeResults, KnowledgeSearch } from './schemas.ts'
import { sqliteWords } from './sqlite-words-queries.ts'
import { exactCounter, type Forms, formsOf, termsOf } from './terms.ts'
import type { Ranked, WordQuery, WordTerm } from './words.ts'

/** How many of the best by words, and of the best by vectors, are weighed against each other. */
const mostOfEach = 50

/**
 * The chunks of some datasets that answer a query best, by words, by vectors or by both.
 *
 * A dataset is searched by vectors where all of it has vectors of the query's model. A score is `hybridAlpha` times the cosine, plus the rest times how well the words fit (`searchWords`, then `withFeedback`). What stands in
 * quotation marks in the query, and signs such as `AB-1234`, are weighed first: with n of them, a chunk that has m of them as they are has
 * (m + score) / (n + 1). Not so where the search is by vectors only. With `rerank` and a model for it, the best are ranked by its scores instead.
 * @throws DomainError `NOT_FOUND` when a dataset is not in the context's scope
 */
export async function searchKnowledge(ctx: Ctx, search: KnowledgeSearch): Promise<KnowledgeResults> {
  const began = performance.now()
  const datasetIds = [...new Set(search.datasetIds)]
  const terms = termsOf(search.query.replaceAll('\0', ' '))
  const { exact } = terms
  const languages = await requireDatasets(ctx, datasetIds)
  const forms = await formsOf(terms, languages)
  const vector = search.hybridAlpha > 0 ? embedQuery(ctx, search.query) : Promise.resolve(undefined)
  const look = () => lookUp(ctx, { datasetIds, forms, vector })
  let { words, near, chunks, isWhole } = await look()
  // A file that was ingested again between the statements has its text in other chunks now.
  for (let tries = 0; !isWhole && tries < 2; tries += 1) ({ words, near, chunks, isWhole } = await look())
  const alphaOf = ({ datasetId }: FoundChunk) => (near?.datasetIds.has(datasetId) ? search.hybridAlpha : 0)
  const cosines = new Map(near?.ranked.map(({ seq, score }) => [seq, score]))
  const fits = fitsOf(words, chunks, languages)
  const mixed = (chunk: FoundChunk) => {
    const alpha = alphaOf(chunk)
    return alpha * (cosines.get(chunk.seq) ?? 0) + (1 - alpha) * (fits.get(chunk.seq) ?? 0)
  }
  const byWords = search.hybridAlpha < 1 || !datasetIds.every((id) => near?.datasetIds.has(id))
  const withExact = createScore(byWords ? exact : [])
  const ranked = inOrder(chunks, withExact(mixed)).filter(({ score }) => score > 0)
  const results = (search.rerank ? await reranked(ctx, search.query, ranked, withExact) : ranked)
    .filter(({ score }) => score >= (search.minScore ?? 0))
    .slice(0, search.topK)
    .map(({ chunk, score }) => toResult(chunk, score, alphaOf(chunk)))
  return { results, searchMs: Math.round((performance.now() - began) * 10) / 10 }
}

/** What was found by words and by vectors, with the texts. */
interface Found {
  words: readonly Ranked[]
  /** Undefined where the search is by words only. */
  near: Nearest | undefined
  chunks: readonly FoundChunk[]
  /** Everything that was found is searched still. */
  isWhole: boolean
}

async function lookUp(
  ctx: Ctx,
  {
    datasetIds,
    forms,
    vector,
  }: {
    datasetIds: readonly string[]
    forms: Forms
    vector: Promise<Float32Array | undefined>
  },
): Promise<Found> {
  const byWords = (terms: readonly WordTerm[]) => searchWords(ctx, { datasetIds, terms, most: mostOfEach })
  const [meaning, words, exactly] = await Promise.all([vector, byWords(forms.words), byWords(forms.exact)])
  const also = new Set([...words, ...exactly].map(({ seq }) => seq))
  const near = meaning && (await nearestChunks(ctx, meaning, { datasetIds, most: mostOfEach, also }))
  const found = new Set([...also, ...(near?.ranked ?? []).map(({ seq }) => seq)])
  const chunks = await readChunks(ctx, datasetIds, [...found])
  return { words, near, chunks, isWhole: chunks.length === found.size }
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
function fitsOf(
  words: readonly Ranked[],
  chunks: readonly FoundChunk[],
  languages: readonly StemmedLanguage[],
): ReadonlyMap<number, number> {
  const texts = new Map(chunks.map(({ seq, text }) => [seq, text]))
  return withFeedback(words, (seq) => texts.get(seq), languages)
}

type Score = (chunk: FoundChunk) => number
interface Scored {
  chunk: FoundChunk
  score: number
}

/** What puts the chunks first that have the exact terms, whatever else they are scored by. */
function createScore(exact: readonly string[]): (rest: Score) => Score {
  const countExact = exactCounter(exact)
  return (rest) => (chunk) =>
    (countExact(`${chunk.heading ?? ''}\n${chunk.text}`) + rest(chunk)) / (exact.length + 1)
}

/** The best first; those alike in the order of their files. */
function inOrder(chunks: readonly FoundChunk[], scoreOf: Score): Scored[] {
  return chunks
    .map((chunk) => ({ chunk, score: scoreOf(chunk) }))
    .toSorted((a, b) => b.score - a.score || byPlace(a.chunk, b.chunk))
}

/** The best as the configured model ranks them; as they are where there is none, or where it fails. */
async function reranked(
  ctx: Ctx,
  query: string,
  ranked: readonly Scored[],
  withExact: (rest: Score) => Score,
): Promise<readonly Scored[]> {
  const scores = await rerank(
    ctx,
    query,
    ranked.map(({ chunk }) => chunk),
  )
  if (!scores) return ranked
  const asked = ranked.flatMap(({ chunk }) => (scores.has(chunk.seq) ? [chunk] : []))
  return inOrder(
    asked,
    withExact(({ seq }) => scores.get(seq) ?? 0),
  )
}

function byPlace(a: FoundChunk, b: FoundChunk): number {
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
