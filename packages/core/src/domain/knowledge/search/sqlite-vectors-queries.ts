import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../kernel/context.ts'
import { count, like, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { inSearchedVersion, searchedFiles } from './chunk-queries.ts'
import { type Best, comparePages } from './compare.ts'
import { pageRows, type SeqRange, vectorPages, wholeRange } from './vector-queries.ts'
import { packVector, type VectorQuery } from './vectors.ts'

const c = table(KnowledgeChunk, 'c')

const boundary = select({ seq: c.seq })
// Damaged vectors have another length, with which the function ends the statement.
const cosine = 'case when length(c.vector) = ? then vec_distance_cosine(c.vector, ?) end'
const near = select({ seq: like(c.seq, 'c.seq'), distance: count(cosine) })

/**
 * Compares the vectors of a dataset within SQLite, where the package sqlite-vec is installed: only chunks that are near come out of it. Others
 * are served between two statements.
 * @returns false where it is not
 */
export async function compareInSqlite(
  ctx: Ctx,
  vector: Float32Array,
  query: VectorQuery,
  best: Best,
): Promise<boolean> {
  if ((await ctx.db.vectors()).by === undefined) return false
  const packed = packVector(vector)
  const also = JSON.stringify([...best.also])
  const { sql, params } = searchedFiles(ctx, [query.datasetId])
  const compare = async ({ above, upTo }: SeqRange) => {
    const rows = await near.all(
      ctx.sql,
      `from knowledge_chunks c cross ${inSearchedVersion('c')}
       where c.dataset_id = ? and c.seq > ? and c.seq <= ? and c.model = ? and ${sql}
         and ${cosine} < case when c.seq in (select value from json_each(?)) then 1 else ? end`,
      [
        packed.length,
        packed,
        query.datasetId,
        above,
        upTo,
        query.model,
        ...params,
        packed.length,
        packed,
        also,
        1 - best.least,
      ],
    )
    for (const { seq, distance } of rows) best.add(seq, 1 - distance)
  }
  for await (const range of ranges(ctx, query)) {
    try {
      await compare(range)
    } catch (error) {
      // One vector is enough that is no vector at all.
      ctx.log.warn('vectors were not compared by the database', { error })
      await comparePages(vector, vectorPages(ctx, query, range), best)
    }
  }
  return true
}

/** The chunks of a dataset, some at a time. */
async function* ranges(ctx: Ctx, { datasetId }: VectorQuery): AsyncGenerator<SeqRange> {
  for (let { above } = wholeRange; ; ) {
    const last = await boundary.get(
      ctx.sql,
      `from knowledge_chunks c where c.dataset_id = ? and c.seq > ? order by c.seq limit 1 offset ${pageRows - 1}`,
      [datasetId, above],
    )
    yield { above, upTo: last?.seq ?? wholeRange.upTo }
    if (!last) return
    above = last.seq
    await setImmediate()
  }
}
