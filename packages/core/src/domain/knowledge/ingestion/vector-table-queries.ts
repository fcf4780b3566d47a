import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { exists, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk, KnowledgeFile } from '../datasets/entities.ts'

const f = table(KnowledgeFile, 'f')
const c = table(KnowledgeChunk, 'c')

const lacking = select(pick(f, 'id', 'version'))
const missing = select(pick(c, 'seq', 'ordinal', 'model', 'vector'))

/** One process at a time makes the table. */
const makingLock = 7263

/**
 * Makes the table for vectors in the form of pgvector, and the extension where it is not there. Its rows go with their chunks. A vector of up to
 * 2,000 dimensions is stored within its row, so that it is read with it.
 * @throws Error with what the database says, where its user may not do that
 */
export async function makeVectorTable(ctx: Ctx): Promise<void> {
  await ctx.db.write(async (tx) => {
    await tx.get('select pg_advisory_xact_lock(?)', [makingLock])
    await tx.run('create extension if not exists vector')
    // What an extension that was dropped has left of it.
    await tx.run(`do $$ begin
      if not exists (select from pg_attribute where attrelid = to_regclass('knowledge_vectors') and attname = 'embedding')
      then drop table if exists knowledge_vectors; end if; end $$`)
    await tx.run(`create table if not exists knowledge_vectors (
      seq int primary key references knowledge_chunks on delete cascade,
      dataset_id varchar(26) not null, file_id varchar(26) not null, version int not null,
      model varchar(255) not null, embedding vector null
    ) with (toast_tuple_target = 8160)`)
    await tx.run(
      'create index if not exists knowledge_vectors_place on knowledge_vectors (dataset_id, file_id, version)',
    )
  })
}

/** A version of a file that is searched by vectors. */
export interface FileToAdd {
  id: string
  version: number
}

/** Whether the server has the extension for its databases. */
export const isPgvectorInstalled = ({ sql }: Ctx): Promise<boolean> =>
  exists(sql, "from pg_available_extensions where name = 'vector'")

/** Files that have vectors of a model of which the table for pgvector lacks some, in the order of their ids. */
export async function filesToAdd(
  ctx: Ctx,
  { model, after, most }: { model: string; after: string; most: number },
): Promise<FileToAdd[]> {
  const scope = within(ctx.scope, 'f.tenant_id')
  return lacking.all(
    ctx.sql,
    `from knowledge_files f
     where f.id > ? and f.version > 0 and substr(f.model, 1, ?) = ? and ${scope.sql} and f.chunks_count > (
       select count(*) from knowledge_vectors v
       where v.dataset_id = f.dataset_id and v.file_id = f.id and v.version = f.version)
     order by f.id limit ?`,
    [after, model.length, model, ...scope.params, most],
  )
}

/** Some vectors of a file that the table for pgvector lacks, in the order of the text. @param after the place of a chunk */
export async function vectorsToAdd(
  ctx: Ctx,
  { id, version }: FileToAdd,
  { after, most }: { after: number; most: number },
): Promise<RowOf<typeof missing>[]> {
  const scope = within(ctx.scope, 'c.tenant_id')
  return missing.all(
    ctx.sql,
    `from knowledge_chunks c
     where c.file_id = ? and c.version = ? and c.ordinal > ? and c.model is not null and ${scope.sql}
       and not exists (select from knowledge_vectors v where v.seq = c.seq)
     order by c.ordinal limit ?`,
    [id, version, after, ...scope.params, most],
  )
}

/** Adds vectors to the table for pgvector; what is damaged is null there. Those of chunks that are being deleted are left out. */
export async function addVectors(
  ctx: Ctx,
  vectors: ReadonlyArray<{ seq: number; embedding: Buffer | null }>,
): Promise<void> {
  const rows = vectors.map(() => '(?::int, ?::float4[])').join()
  await ctx.db.write((tx) =>
    tx.run(
      `insert into knowledge_vectors (seq, dataset_id, file_id, version, model, embedding)
       select c.seq, c.dataset_id, c.file_id, c.version, c.model, n.embedding::vector
       from (values ${rows}) n (seq, embedding) join knowledge_chunks c on c.seq = n.seq
       for key share of c skip locked on conflict (seq) do nothing`,
      vectors.flatMap(({ seq, embedding }) => [seq, embedding]),
    ),
  )
}
