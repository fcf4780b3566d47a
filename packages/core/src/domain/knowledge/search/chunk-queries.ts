import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type Condition, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Dataset, KnowledgeChunk, KnowledgeFile } from '../datasets/entities.ts'
import { type StemmedLanguage, stemmedLanguages } from '../stemming/function-words.ts'

const d = table(Dataset, 'd')
const c = table(KnowledgeChunk, 'c')
const f = table(KnowledgeFile, 'f')

const known = select(pick(d, 'id', 'languages'))
const size = select({ chunks: count('sum(f.chunks_count)') })
const found = select({
  ...pick(c, 'seq', 'id', 'datasetId', 'fileId', 'ordinal', 'text', 'heading', 'page'),
  ...pick(f, 'fileName', 'url', 'publishedAt'),
})

/** A chunk with what is told of its file. */
export type FoundChunk = RowOf<typeof found>

/** The condition on files `f` that their chunks are searched: of these datasets, enabled, and ingested once at least. */
export function searchedFiles(ctx: Ctx, datasetIds: readonly string[]): Condition {
  return where(
    { sql: `f.dataset_id in (${placeholders(datasetIds)})`, params: [...datasetIds] },
    within(ctx.scope, 'f.tenant_id'),
    { sql: 'f.enabled = true and f.version > 0', params: [] },
  )
}

/** What joins files `f` to rows that have the file and the version of a chunk: only those of the version that is searched. */
export const inSearchedVersion = (alias: 'c' | 'w' | 'v') =>
  `join knowledge_files f on f.id = ${alias}.file_id and f.version = ${alias}.version`

/**
 * @returns the languages of what is in them, in a fixed order
 * @throws DomainError `NOT_FOUND` unless all datasets are in the context's scope
 */
export async function requireDatasets(ctx: Ctx, datasetIds: readonly string[]): Promise<StemmedLanguage[]> {
  const { sql, params } = where(
    { sql: `d.id in (${placeholders(datasetIds)})`, params: [...datasetIds] },
    within(ctx.scope, 'd.tenant_id'),
  )
  const rows = await known.all(ctx.sql, `from datasets d where ${sql}`, params)
  if (rows.length < datasetIds.length) throw notFound('dataset')
  const found = new Set(rows.flatMap(({ languages }) => (languages?.length ? languages : ['en' as const])))
  return stemmedLanguages.filter((language) => found.has(language))
}

/** How many chunks of these datasets are searched. */
export async function countSearched(ctx: Ctx, datasetIds: readonly string[]): Promise<number> {
  const { sql, params } = searchedFiles(ctx, datasetIds)
  const row = await size.get(ctx.sql, `from knowledge_files f where ${sql}`, params)
  return row?.chunks ?? 0
}

/**
 * The chunks of a list of numbers, which is one value: so the text of the statement is the same for any number of them. SQLite joins in this
 * order; it would begin with all files of the tenant otherwise.
 */
const chosen = {
  sqlite: `from json_each(?) l cross join knowledge_chunks c on c.seq = l.value cross ${inSearchedVersion('c')}`,
  postgresql: `from jsonb_array_elements_text(?::jsonb) l (value) join knowledge_chunks c on c.seq = l.value::int ${inSearchedVersion('c')}`,
}

/** Those of the chunks that are searched, in no order. */
export async function readChunks(
  ctx: Ctx,
  datasetIds: readonly string[],
  seqs: readonly number[],
): Promise<FoundChunk[]> {
  const { sql, params } = searchedFiles(ctx, datasetIds)
  return found.all(ctx.sql, `${chosen[ctx.db.dialect]} where ${sql}`, [JSON.stringify(seqs), ...params])
}
