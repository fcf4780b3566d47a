import { LockMode } from '@mikro-orm/core'
import type { NewJob } from '../../platform/jobs/jobs.ts'
import { actorName } from '../actor.ts'
import { Campaign } from '../campaigns/entities.ts'
import { daysBetween } from '../campaigns/periods.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { narrowed } from '../scope.ts'
import { Tenant } from '../tenants/entities.ts'
import { Report, type ReportRow } from './entities.ts'
import type { NewReport } from './schemas.ts'

/** The job that writes a report; payload `{ reportId }`. */
export const writeJob = 'report.write'

/** One job a report, by which it is known whether anything still writes it. */
const jobFor = ({ id, tenantId }: { id: string; tenantId: string }): NewJob => ({
  kind: writeJob,
  tenantId,
  payload: { reportId: id },
  uniqueKey: `${writeJob}:${id}`,
})

/** The longest time that a report covers, days. */
const longest = 366

const names: Record<NewReport['type'], string> = {
  monthly_performance: 'Monthly performance',
  campaign_summary: 'Campaign summary',
  custom: 'Report',
}

/**
 * Orders a report on days of the tenant's zone; it is written right after. Serves `POST /dm/v1/reports`.
 * @throws DomainError `FORBIDDEN` for a tenant outside the scope; `NOT_FOUND` for one that there is not and for a campaign of
 *   somebody else; `VALIDATION_ERROR` for more than a year, or a
 *   campaign that is named twice
 */
export function orderReport(ctx: Ctx, input: NewReport): Promise<{ reportId: string; status: 'generating' }> {
  const { tenantId, type, periodStart, periodEnd, campaignIds = [], notes = null } = input
  if (daysBetween(periodStart, periodEnd) > longest)
    throw invalid('periodEnd', `A report covers at most ${longest} days`)
  const twice = campaignIds.findIndex((id, at) => campaignIds.indexOf(id) < at)
  if (twice >= 0) throw invalid(`campaignIds.${twice}`, 'A campaign is named twice')
  return command(narrowed(ctx, tenantId), async (cmd) => {
    const tenant = await cmd.em.findOne(Tenant, { id: tenantId })
    if (!tenant) throw notFound('tenant', { field: 'tenantId' })
    const known = await cmd.em.find(Campaign, { id: { $in: campaignIds }, tenantId })
    const missing = campaignIds.findIndex((id) => !known.some((campaign) => campaign.id === id))
    if (missing >= 0) throw notFound('campaign', { field: `campaignIds.${missing}` })
    const now = cmd.clock.date()
    const report: ReportRow = cmd.em.create(Report, {
      id: cmd.newId(),
      tenantId,
      type,
      title: input.title ?? `${names[type]}, ${periodStart} to ${periodEnd}`,
      status: 'generating',
      failureReason: null,
      periodStart,
      periodEnd,
      campaignIds,
      campaignId: campaignIds.length === 1 ? (campaignIds[0] ?? null) : null,
      notes,
      content: null,
      blobKey: null,
      deliveredAt: null,
      deliveredById: null,
      deliveredByName: null,
      deliveryChannel: null,
      createdById: cmd.actor.id,
      createdByName: actorName(cmd),
      createdOn: now,
      updatedOn: now,
    })
    cmd.enqueue(jobFor(report))
    const after = { type, periodStart, periodEnd, campaignIds }
    cmd.audit({ tenantId, resourceType: 'report', resourceId: report.id, after })
    return { reportId: report.id, status: 'generating' }
  })
}

/**
 * Has a report written that has failed, as it was ordered. Serves `POST /dm/v1/reports/:reportId/retry`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it has not failed
 */
export function writeAgain(ctx: Ctx, reportId: string): Promise<{ reportId: string; status: 'generating' }> {
  return command(ctx, async (cmd) => {
    const report = await cmd.em.findOne(Report, { id: reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!report) throw notFound('report')
    if (report.status !== 'failed')
      throw new DomainError(
        'UNPROCESSABLE',
        `Only a report that has failed is written again; this one is ${report.status}`,
      )
    const before = { status: report.status, failureReason: report.failureReason }
    Object.assign(report, { status: 'generating', failureReason: null, updatedOn: cmd.clock.date() })
    cmd.enqueue(jobFor(report))
    const after = { status: report.status }
    cmd.audit({ tenantId: report.tenantId, resourceType: 'report', resourceId: reportId, before, after })
    return { reportId, status: 'generating' }
  })
}
