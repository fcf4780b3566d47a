import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { addDays, startOfDay } from '../../../kernel/periods.ts'
import { transact } from '../../../kernel/transact.ts'
import { lostLease } from '../../../platform/jobs/queries.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { compose } from './compose.ts'
import { Report, type ReportRow } from './entities.ts'
import { figuresOf } from './figures.ts'
import { finishedPieces, firstVerdicts, spendingOfPeriod } from './figures-queries.ts'
import { reachOfPeriod } from './reach-queries.ts'
import { type Unwritten, unwrittenReports } from './unwritten-queries.ts'

/**
 * Handles `report.write` jobs: counts, writes the Markdown, makes the PDF, and makes the report ready. A second call makes
 * the same files again or finds nothing to do. A report that was given up meanwhile is fixed by it.
 */
export async function writeReport(
  ctx: Ctx,
  { reportId }: { reportId: string },
  signal: AbortSignal,
): Promise<void> {
  const asked = await transact(ctx, async (txn) => {
    const report = await txn.em.findOne(Report, { id: reportId })
    if (!report || !isUnwritten(report)) return undefined
    return { report, tenant: await txn.em.findOneOrFail(Tenant, { id: report.tenantId }) }
  })
  if (!asked) return
  const { report, tenant } = asked
  const { tenantId, title, periodStart, periodEnd, campaignIds, notes } = report
  const { timezone, name: tenantName } = tenant
  const from = startOfDay(periodStart, timezone)
  const until = startOfDay(addDays(periodEnd, 1), timezone)
  const span = { tenantId, from, until, campaignIds }
  const lines = [
    ...(await spendingOfPeriod(ctx, span)),
    ...(await finishedPieces(ctx, span)),
    ...(await firstVerdicts(ctx, span)),
  ]
  const heading = { title, tenantName, periodStart, periodEnd, timezone, notes }
  const reach = await reachOfPeriod(ctx, { ...span, periodStart, periodEnd })
  const content = compose(heading, figuresOf(lines), reach)
  const pdf = await ctx.services.pdf.make(
    content,
    { title, createdOn: report.createdOn },
    { owner: tenantId, signal },
  )
  const blobKey = `tenants/${tenantId}/reports/${reportId}.pdf`
  await ctx.services.blobs.put(blobKey, pdf)
  await transact(ctx, async (txn) => {
    const row = await txn.em.findOneOrFail(Report, { id: reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!isUnwritten(row)) return
    const before = { status: row.status }
    const after = { status: 'ready' as const }
    Object.assign(row, { content, blobKey, failureReason: null, updatedOn: txn.clock.date(), ...after })
    txn.audit({
      tenantId,
      resourceType: 'report',
      resourceId: reportId,
      before,
      after,
      action: 'report.write',
    })
  })
}

const isUnwritten = ({ status }: ReportRow) => status === 'generating' || status === 'failed'

/**
 * Ends what no one writes any more as failed, with a reason, so that a reviewer can ask for it again: its job was given up, or
 * is gone. Any number of processes may do it.
 */
export async function giveUpReports(ctx: Ctx): Promise<void> {
  for (const { id } of await unwrittenReports(ctx)) {
    await transact(ctx, async (txn) => {
      const report = await txn.em.findOne(Report, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // It may have been written, or asked for again, since.
      const [unwritten] = await unwrittenReports(txn, id)
      if (!report || !unwritten) return
      const after = { status: 'failed' as const, failureReason: reasonOf(unwritten) }
      Object.assign(report, { ...after, updatedOn: txn.clock.date() })
      txn.audit({
        tenantId: report.tenantId,
        resourceType: 'report',
        resourceId: id,
        before: { status: 'generating' },
        after,
        action: 'report.fail',
      })
    })
  }
}

/** What went wrong inside names files and tables, which are the operator's alone. */
function reasonOf({ lastFailure }: Unwritten): string {
  if (lastFailure?.error === lostLease)
    return 'The server stopped, or fell silent, each time that the report was written.'
  return 'The report could not be written; the operator of this installation finds why among the failed jobs.'
}
