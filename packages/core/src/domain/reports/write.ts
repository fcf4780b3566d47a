import { LockMode } from '@mikro-orm/core'
import { Unretryable } from '../../platform/jobs/jobs.ts'
import { addDays, startOfDay } from '../campaigns/periods.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { Tenant } from '../tenants/entities.ts'
import { compose } from './compose.ts'
import { Report, type ReportRow } from './entities.ts'
import { figuresOf } from './figures.ts'
import { finishedPieces, firstVerdicts, spending } from './figures-queries.ts'
import { writeJob } from './order.ts'

/**
 * Handles `report.write` jobs: counts, writes the Markdown, makes the PDF, and makes the report ready. A second call makes
 * the same files again or finds nothing to do. A report that was given up meanwhile is mended by it.
 * @param payload `{ reportId }`
 */
export async function writeReport(
  ctx: Ctx,
  payload: Record<string, unknown>,
  signal: AbortSignal,
): Promise<void> {
  const { reportId } = payload
  if (typeof reportId !== 'string') throw new Unretryable(`${writeJob} needs { reportId }`)
  const asked = await command(ctx, async (cmd) => {
    const report = await cmd.em.findOne(Report, { id: reportId })
    if (!report || !isUnwritten(report)) return undefined
    return { report, tenant: await cmd.em.findOneOrFail(Tenant, { id: report.tenantId }) }
  })
  if (!asked) return
  const { report, tenant } = asked
  const { tenantId, title, periodStart, periodEnd, campaignIds, notes } = report
  const { timezone, name: tenantName } = tenant
  const from = startOfDay(periodStart, timezone)
  const until = startOfDay(addDays(periodEnd, 1), timezone)
  const span = { tenantId, from, until, campaignIds }
  const lines = [
    ...(await spending(ctx, span)),
    ...(await finishedPieces(ctx, span)),
    ...(await firstVerdicts(ctx, span)),
  ]
  const heading = { title, tenantName, periodStart, periodEnd, timezone, notes }
  const content = compose(heading, figuresOf(lines))
  const pdf = await ctx.services.pdf.make(
    content,
    { title, createdOn: report.createdOn },
    { owner: tenantId, signal },
  )
  const blobKey = `tenants/${tenantId}/reports/${reportId}.pdf`
  await ctx.services.blobs.put(blobKey, pdf)
  await command(ctx, async (cmd) => {
    const row = await cmd.em.findOneOrFail(Report, { id: reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!isUnwritten(row)) return
    const before = { status: row.status }
    const after = { status: 'ready' as const }
    Object.assign(row, { content, blobKey, failureReason: null, updatedOn: cmd.clock.date(), ...after })
    cmd.audit({
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
