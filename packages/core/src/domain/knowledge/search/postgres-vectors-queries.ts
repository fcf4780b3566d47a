import type { Ctx } from '../../../kernel/context.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { count, exists, like, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { inSearchedVersion, searchedFiles } from './chunk-queries.ts'
import type { Best } from './compare.ts'
import { toFloatArray, type VectorQuery } from './vectors.ts'

const near = select({ seq: like(table(KnowledgeChunk, 'c').seq, 'n.seq'), score: count('n.score') })

/**
 * Compares the vectors of a dataset within PostgreSQL, where it has them in the form of pgvector: only chunks that are near come out of it.
 * Vectors have length 1, so that their inner product is their cosine; no index is asked, so that what is nearest is always found.
 * @param chunks how many are searched
 * @returns false where it does not have all of them
 */
export async function compareInPostgres(
  ctx: Ctx,
  vector: Float32Array,
  { datasetId, model, chunks }: VectorQuery & { chunks: number },
  best: Best,
): Promise<boolean> {
  if (!(await hasVectorTable(ctx.sql))) return false
  const { sql, params } = searchedFiles(ctx, [datasetId])
  const also = `{${[...best.also].join()}}`
  try {
    // The first row says how many were compared.
    const [all, ...found] = await near.allOf(
      ctx.sql,
      `with compared as materialized (
         select v.seq, -(v.embedding <#> ?::float4[]::vector) as score from knowledge_vectors v ${inSearchedVersion('v')}
         where v.dataset_id = ? and v.model = ? and ${sql}),
       best as (
         select seq, score from compared where score > 0 and seq <> all (?::int[])
         order by score desc, seq limit ${best.most})
       select ${near.columns} from (
         select 0 as place, 0 as seq, count(*) as score from compared
         union all select 1, seq, score from best
         union all select 2, seq, score from compared where seq = any (?::int[])) n
       order by n.place, n.score desc, n.seq`,
      [toFloatArray(vector), datasetId, model, ...params, also, also],
    )
    if (all?.score !== chunks) return false
    for (const { seq, score } of found) best.add(seq, score)
    return true
  } catch (error) {
    ctx.log.warn('vectors were not compared by the database', { error })
    return false
  }
}

/** Whether PostgreSQL has the table for vectors in the form of pgvector. Its column goes when the extension is dropped. */
export function hasVectorTable(sql: Sql): Promise<boolean> {
  return exists(
    sql,
    "from pg_attribute where attrelid = to_regclass('knowledge_vectors') and attname = 'embedding'",
  )
}
