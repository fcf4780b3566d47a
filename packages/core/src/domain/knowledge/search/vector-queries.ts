import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { count, select, table, text } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { inSearchedVersion, searchedFiles } from './chunk-queries.ts'
import { toPage, type VectorPage, type VectorQuery } from './vectors.ts'

const c = table(KnowledgeChunk, 'c')

// Its first parameter is the key of a model.
const state = select({
  others: count(
    'sum(case when f.enabled = true and f.version > 0 and f.chunks_count > 0 and (f.model is null or f.model <> ?) then 1 end)',
  ),
  chunks: count('sum(case when f.enabled = true and f.version > 0 then f.chunks_count end)'),
  files: count('sum(case when f.enabled = true and f.version > 0 then 1 end)'),
  versions: count('sum(case when f.enabled = true then f.version end)'),
  changed: text<string>('max(f.updated_on)'),
  newest: text<string>('max(case when f.enabled = true and f.version > 0 then f.id end)'),
})
const stored = select({ seq: c.seq, vector: c.vector })

/** Rows that are read or compared at once, by far less than a megabyte in most models. */
export const pageRows = 400

/** Chunks by their numbers. */
export interface SeqRange {
  above: number
  upTo: number
}

/** All that a column of numbers can have. */
export const wholeRange: SeqRange = { above: 0, upTo: 2 ** 31 - 1 }

/** What tells whether other chunks of a dataset are searched than before, and how many they are. */
export interface DatasetState {
  stamp: string
  chunks: number
  /** All that are searched have a vector of the model. */
  isWhole: boolean
}

/** The state of a dataset, by its files: chunks never change. */
export async function datasetState(
  ctx: Ctx,
  { datasetId, model }: Pick<VectorQuery, 'datasetId' | 'model'>,
): Promise<DatasetState> {
  const { sql, params } = within(ctx.scope, 'f.tenant_id')
  const row = await state.get(ctx.sql, `from knowledge_files f where f.dataset_id = ? and ${sql}`, [
    model,
    datasetId,
    ...params,
  ])
  return { stamp: JSON.stringify(row), chunks: row?.chunks ?? 0, isWhole: row?.others === 0 }
}

/**
 * The vectors of a model in a dataset, page by page; others are served between two pages.
 * @param range of the numbers of their chunks: those above `above`, up to `upTo`
 */
export async function* vectorPages(
  ctx: Ctx,
  query: VectorQuery,
  { above, upTo }: SeqRange = wholeRange,
): AsyncGenerator<VectorPage> {
  const { sql, params } = searchedFiles(ctx, [query.datasetId])
  let last = above
  for (;;) {
    const rows = await stored.all(
      ctx.sql,
      `from knowledge_chunks c ${inSearchedVersion('c')}
       where c.dataset_id = ? and c.seq > ? and c.seq <= ? and c.model = ? and c.vector is not null and ${sql} order by c.seq limit ${pageRows}`,
      [query.datasetId, last, upTo, query.model, ...params],
    )
    const vectors = rows.flatMap(({ seq, vector }) => (vector ? [{ seq, vector }] : []))
    if (vectors.length > 0) yield toPage(vectors, query.dimensions)
    if (rows.length < pageRows) return
    last = rows.at(-1)?.seq ?? last
    await setImmediate()
  }
}
