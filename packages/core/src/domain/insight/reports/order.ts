import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { daysBetween } from '../../../kernel/periods.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { Report, type ReportRow } from './entities.ts'
import { reportToWrite, writeReportJob } from './jobs.ts'
import type { NewReport } from './schemas.ts'

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
 *   someone else; `VALIDATION_ERROR` for more than a year, or a
 *   campaign that is named twice
 */
export function orderReport(ctx: Ctx, input: NewReport): Promise<{ reportId: string; status: 'generating' }> {
  const { tenantId, type, periodStart, periodEnd, campaignIds = [], notes = null } = input
  if (daysBetween(periodStart, periodEnd) > longest)
    throw invalid('periodEnd', `A report covers at most ${longest} days`)
  const twice = campaignIds.findIndex((id, at) => campaignIds.indexOf(id) < at)
  if (twice >= 0) throw invalid(`campaignIds.${twice}`, 'A campaign is named twice')
  return transact(narrowed(ctx, tenantId), async (txn) => {
    const tenant = await txn.em.findOne(Tenant, { id: tenantId })
    if (!tenant) throw notFound('tenant', { field: 'tenantId' })
    const known = await txn.em.find(Campaign, { id: { $in: campaignIds }, tenantId })
    const missing = campaignIds.findIndex((id) => !known.some((campaign) => campaign.id === id))
    if (missing >= 0) throw notFound('campaign', { field: `campaignIds.${missing}` })
    const now = txn.clock.date()
    const report: ReportRow = txn.em.create(Report, {
      id: txn.newId(),
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
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    txn.enqueue(writeReportJob, reportToWrite(report))
    const after = { type, periodStart, periodEnd, campaignIds }
    txn.audit({ tenantId, resourceType: 'report', resourceId: report.id, after })
    return { reportId: report.id, status: 'generating' }
  })
}

/**
 * Has a report written that has failed, as it was ordered. Serves `POST /dm/v1/reports/:reportId/retry`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it has not failed
 */
export function writeAgain(ctx: Ctx, reportId: string): Promise<{ reportId: string; status: 'generating' }> {
  return transact(ctx, async (txn) => {
    const report = await txn.em.findOne(Report, { id: reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!report) throw notFound('report')
    if (report.status !== 'failed')
      throw new DomainError(
        'UNPROCESSABLE',
        `Only a report that has failed is written again; this one is ${report.status}`,
      )
    const before = { status: report.status, failureReason: report.failureReason }
    Object.assign(report, { status: 'generating', failureReason: null, updatedOn: txn.clock.date() })
    txn.enqueue(writeReportJob, reportToWrite(report))
    const after = { status: report.status }
    txn.audit({ tenantId: report.tenantId, resourceType: 'report', resourceId: reportId, before, after })
    return { reportId, status: 'generating' }
  })
}
