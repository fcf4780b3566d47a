import { setImmediate } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { LeadImport } from '../entities.ts'
import { undoImportJob } from './jobs.ts'
import { getImport } from './queries.ts'
import type { ImportState } from './schemas.ts'
import { removeLeads } from './undo-queries.ts'

/**
 * Removes the leads that an import has made and no one has changed since. Serves `POST /dashboard/v1/leads/imports/:importId/undo`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while it is under way, or when it was undone already
 */
export async function undoImport(ctx: Ctx, id: string): Promise<ImportState> {
  await transact(ctx, async (txn) => {
    const row = await txn.em.findOne(LeadImport, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw notFound('import')
    if (row.status === 'processing')
      throw new DomainError('CONFLICT', 'The import is under way; wait until it has ended')
    if (row.undo !== null) throw new DomainError('CONFLICT', 'The import was undone already')
    row.undo = 'processing'
    const { tenantId } = row
    txn.enqueue(undoImportJob, {
      tenantId,
      payload: { importId: id },
      uniqueKey: `${undoImportJob.kind}:${id}`,
    })
    txn.audit({
      tenantId,
      resourceType: 'lead_import',
      resourceId: id,
      before: { undo: null },
      after: { undo: 'processing' },
    })
  })
  return getImport(ctx, id)
}

/** Handles `lead.undo_import` jobs: some leads at a time, each time with the count. */
export async function runUndo(
  ctx: Ctx,
  { importId }: { importId: string },
  signal: AbortSignal,
): Promise<void> {
  let beyond: number | undefined
  let left = 0
  const removeSome = async (txn: Transaction) => {
    const row = await txn.em.findOne(LeadImport, { id: importId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (row?.undo !== 'processing') return undefined
    const found = await removeLeads(txn.tx, row, beyond)
    row.removed += found.removed
    if (found.last === undefined)
      Object.assign(row, { undo: 'completed', kept: row.updated + left + found.kept })
    return found
  }
  for (let more = true; more; await setImmediate()) {
    signal.throwIfAborted()
    const done = await transact(ctx, removeSome, { inThread: true })
    left += done?.kept ?? 0
    beyond = done?.last
    more = beyond !== undefined
  }
}
