import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { type Database, placeholders } from '../../../platform/database/database.ts'
import { count, pick, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'

const c = table(KnowledgeChunk, 'c')

const last = select({ version: count('max(c.version)') })

/** The newest version of a file's chunks, also of those that were not finished; 0 when there is none. */
export async function lastVersion(ctx: Ctx, fileId: string): Promise<number> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const row = await last.get(ctx.sql, `from ${c} where c.file_id = ? and ${scope.sql}`, [
    fileId,
    ...scope.params,
  ])
  return row?.version ?? 0
}

const embedded = select(pick(c, 'sha256', 'model', 'vector'))

/** A vector that was made of the same text before. */
export interface KnownVector {
  sha256: string
  model: string
  vector: Buffer
}

/** @param model the beginning of the key of a model */
export async function knownVectors(
  { sql }: Ctx,
  tenantId: string,
  hashes: readonly string[],
  model: string,
): Promise<KnownVector[]> {
  const rows = await embedded.all(
    sql,
    `from ${c} where c.tenant_id = ? and c.sha256 in (${placeholders(hashes)}) and substr(c.model, 1, ?) = ?`,
    [tenantId, ...hashes, model.length, model],
  )
  return rows.flatMap(({ sha256, model: key, vector }) =>
    key !== null && vector !== null ? [{ sha256, model: key, vector: Buffer.from(vector) }] : [],
  )
}

/** How many chunks go at a time, so that no one else waits for long. */
const batch = 500

/**
 * Removes chunks of a file below a version, some at a time.
 * @returns whether there may be more
 */
export async function deleteChunksBelow(db: Database, fileId: string, version: number): Promise<boolean> {
  const removed = await db.write((tx) =>
    tx.run(
      `delete from knowledge_chunks where seq in (
         select seq from knowledge_chunks where file_id = ? and version < ? order by version, ordinal limit ${batch})`,
      [fileId, version],
    ),
  )
  return removed === batch
}
