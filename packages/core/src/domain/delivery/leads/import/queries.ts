import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import type { Sql } from '../../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { LeadImport, LeadImportError } from '../entities.ts'
import { importLeadsJob } from './jobs.ts'
import { type ImportState, shownErrors } from './schemas.ts'

const i = table(LeadImport, 'i')
const f = table(LeadImportError, 'f')

const state = select({
  ...pick(i, 'id', 'status', 'total', 'imported', 'updated', 'skipped', 'reason', 'label', 'fileName'),
  ...pick(i, 'duplicates', 'createdOn', 'finishedOn', 'undo', 'removed', 'kept', 'format'),
})
const fault = select(pick(f, 'line', 'reason'))
const faultWithCells = select(pick(f, 'line', 'reason', 'cells'))
export type ImportFault = RowOf<typeof faultWithCells>

/** Serves `GET /dashboard/v1/leads/imports/:importId`. @throws DomainError `NOT_FOUND` */
export async function getImport(ctx: Ctx, id: string): Promise<ImportState> {
  const { format: _format, ...row } = await findImport(ctx, id)
  const errors = await fault.all(ctx.sql, `from ${f} where f.import_id = ? order by f.line limit ?`, [
    id,
    shownErrors,
  ])
  const { status, total, imported, updated, skipped, reason, label, fileName, duplicates } = row
  const { createdOn, finishedOn, undo, removed, kept } = row
  return {
    importId: id,
    status,
    total,
    imported,
    updated,
    skipped,
    errors: errors.map(({ line, reason: why }) => ({ row: line, reason: why })),
    errorsComplete: skipped <= errors.length,
    ...(reason !== null && { reason }),
    source: label,
    fileName,
    duplicates,
    createdOn,
    ...(finishedOn !== null && { finishedOn }),
    ...(undo !== null && { undo: { status: undo, removed, kept } }),
  }
}

/** An import with the header of its file. @throws DomainError `NOT_FOUND` */
export async function findImport(ctx: Ctx, id: string): Promise<RowOf<typeof state>> {
  const condition = where(within(ctx.scope, 'i.tenant_id'), equals(i.id, id))
  const row = await state.get(ctx.sql, `from ${i} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('import')
  return row
}

/** Lines that became no leads, some at a time. @param after the last line that was read */
export function faultsAfter(
  ctx: Ctx,
  importId: string,
  after: number,
  limit: number,
): Promise<ImportFault[]> {
  const scope = within(ctx.scope, 'f.tenant_id')
  return faultWithCells.all(
    ctx.sql,
    `from ${f} where f.import_id = ? and f.line > ? and ${scope.sql} order by f.line limit ?`,
    [importId, after, ...scope.params, limit],
  )
}

/** How many lines are deleted at a time: a file may have half a million of them. */
const mostDeleted = 5_000

/** Deletes lines that became no leads of imports that were begun before the one with this id, the oldest first. @returns how many */
export function deleteFaultsBefore(tx: Sql, importId: string): Promise<number> {
  return tx.run(
    `delete from lead_import_errors where (import_id, line) in (
       select import_id, line from lead_import_errors where import_id < ? order by import_id, line limit ${mostDeleted})`,
    [importId],
  )
}

const abandoned = select(pick(i, 'id', 'tenantId'))

/**
 * Imports that are not over though their job neither waits nor is running.
 * @param id looks at this one only
 */
export function abandonedImports(ctx: Ctx, id?: string): Promise<Array<RowOf<typeof abandoned>>> {
  const hasJob = `select 1 from job j where j.unique_key = '${importLeadsJob.kind}:' || i.id and j.status in ('waiting', 'running')`
  const condition = where(within(ctx.scope, 'i.tenant_id'), equals(i.id, id), {
    sql: `i.status = 'processing' and not exists (${hasJob})`,
    params: [],
  })
  return abandoned.all(ctx.sql, `from ${i} where ${condition.sql} order by i.id limit 100`, condition.params)
}
