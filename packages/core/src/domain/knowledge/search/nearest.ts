import type { Ctx } from '../../../kernel/context.ts'
import { EmbeddingFault } from '../../../platform/embeddings/port.ts'
import { Best, comparePages } from './compare.ts'
import { haveRoom, keptVectors } from './knowledge-cache.ts'
import { compareInPostgres } from './postgres-vectors-queries.ts'
import { compareInSqlite } from './sqlite-vectors-queries.ts'
import { datasetState, vectorPages } from './vector-queries.ts'
import { modelKey, type VectorQuery } from './vectors.ts'
import type { Ranked } from './words.ts'

/**
 * The vector of a query, of length 1.
 * @returns undefined where none is configured, where the model knows no word of the query, and where it cannot be reached: that is logged
 */
export async function embedQuery(ctx: Ctx, query: string): Promise<Float32Array | undefined> {
  const { embedder } = ctx.services
  if (!embedder) return undefined
  try {
    const { vectors } = await embedder.embed([query.toWellFormed()], { purpose: 'query' })
    return vectors[0]?.some((number) => number !== 0) ? vectors[0] : undefined
  } catch (error) {
    if (!(error instanceof EmbeddingFault)) throw error
    ctx.log.warn('a query was not embedded and is searched by words', { reason: error.reason, error })
    return undefined
  }
}

/** What compares vectors without reading them, where the database can; false where it cannot. */
const compareInDatabase = { sqlite: compareInSqlite, postgresql: compareInPostgres }

/** What vectors say of a query. */
export interface Nearest {
  ranked: readonly Ranked[]
  /** The datasets that were searched by them: every file of theirs has vectors of the query's model. */
  datasetIds: ReadonlySet<string>
}

/**
 * The chunks whose vectors are nearest to that of a query, the nearest first, by their cosine; those at a right angle or more are left out.
 * @param options `most` of them, and those of `also` whatever their place is
 * @returns undefined where no dataset is searched by vectors
 */
export async function nearestChunks(
  ctx: Ctx,
  query: Float32Array,
  options: { datasetIds: readonly string[]; most: number; also: ReadonlySet<number> },
): Promise<Nearest | undefined> {
  const { embedder } = ctx.services
  if (!embedder) return undefined
  const best = new Best(options)
  const searched = new Set<string>()
  let chunks = 0
  for (const datasetId of options.datasetIds) {
    const model = modelKey(embedder.provider, embedder.model, query.length)
    const of: VectorQuery = { datasetId, model, dimensions: query.length }
    const state = await datasetState(ctx, of)
    // One of its files has none of the model: it would never be found beside those that have.
    if (!state.isWhole) continue
    searched.add(datasetId)
    chunks += state.chunks
    // What is compared in memory is found soonest; to read a dataset into it in place of another takes longer than anything else.
    const inDatabase = () =>
      compareInDatabase[ctx.db.dialect](ctx, query, { ...of, chunks: state.chunks }, best)
    if (!haveRoom(ctx, of, state) && (await inDatabase())) continue
    const kept = await keptVectors(ctx, of, state)
    await comparePages(query, kept ?? vectorPages(ctx, of), best)
  }
  return chunks === 0 ? undefined : { ranked: best.ranked(), datasetIds: searched }
}
