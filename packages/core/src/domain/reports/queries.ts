import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { DeliveryStatus, ReportStatus, ReportType } from './entities.ts'
import type {
  ReviewerReport,
  ReviewerReportQuery,
  TenantReport,
  TenantReportDetail,
  TenantReportQuery,
} from './schemas.ts'

const columns = `p.id, p.tenant_id, t.name as tenant_name, p.title, p.type, p.status, p.failure_reason, p.period_start, p.period_end, p.campaign_id,
  p.delivered_at, p.delivered_by_name, p.delivery_channel, p.created_by_name, p.created_on`
const select = `select ${columns} from reports p join tenants t on t.id = p.tenant_id`

/** The reports of a tenant, newest first. Serves `GET /dashboard/v1/reports`. */
export function listReports(ctx: Ctx, query: TenantReportQuery): Promise<Page<TenantReport>> {
  const start = query['filter.startDate']
  const end = query['filter.endDate']
  const filters = [
    inStatus(query['filter.status']),
    equals('p.type', query['filter.type']),
    equals('p.campaign_id', query['filter.campaignId']),
    start === undefined ? undefined : { sql: 'p.period_end >= ?', params: [start] },
    end === undefined ? undefined : { sql: 'p.period_start <= ?', params: [end] },
  ]
  return readPage(
    ctx,
    { select, id: 'p.id', rows: within(ctx.scope, 'p.tenant_id'), filters, request: query },
    toTenantItem,
  )
}

function inStatus(status: TenantReport['status'] | undefined): Condition | undefined {
  if (status !== 'draft') return equals('p.status', status)
  return { sql: `p.status in ('draft', 'generating', 'failed')`, params: [] }
}

/**
 * One report with its Markdown. Serves `GET /dashboard/v1/reports/:reportId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getReport(ctx: Ctx, id: string): Promise<TenantReportDetail> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals('p.id', id))
  const row = await ctx.sql.get<Row>(
    `select ${columns}, p.content from reports p join tenants t on t.id = p.tenant_id where ${condition.sql}`,
    condition.params,
  )
  if (!row) throw notFound('report')
  return {
    ...toTenantItem(row),
    activityId: null,
    content: row.content as string | null,
    deliveredBy: row.delivered_by_name as string | null,
    deliveryChannel: row.delivery_channel as string | null,
  }
}

/** Reports of all tenants in scope, newest first. Serves `GET /dm/v1/reports`. */
export function listForReview(ctx: Ctx, query: ReviewerReportQuery): Promise<Page<ReviewerReport>> {
  const filters = [equals('p.status', query['filter.status']), equals('p.type', query['filter.type'])]
  return readPage(
    ctx,
    { select, id: 'p.id', rows: within(ctx.scope, 'p.tenant_id'), filters, request: query },
    toReviewerItem,
  )
}

/** One report as reviewers list it. @throws DomainError `NOT_FOUND` */
export async function reviewerReport(ctx: Ctx, id: string): Promise<ReviewerReport> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals('p.id', id))
  const row = await ctx.sql.get<Row>(`${select} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('report')
  return toReviewerItem(row)
}

/** What became of the mails of a report, in the order in which they were asked for. */
export async function deliveriesOf(
  ctx: Ctx,
  reportId: string,
): Promise<Array<{ to: string; status: DeliveryStatus }>> {
  const scope = within(ctx.scope, 'tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select address, status from report_deliveries where report_id = ? and ${scope.sql} order by id`,
    [reportId, ...scope.params],
  )
  return rows.map((row) => ({ to: row.address as string, status: row.status as DeliveryStatus }))
}

/** Where the PDF of a tenant's report lies; undefined while there is none, or when the tenant is shut. */
export async function readableReport(
  ctx: Ctx,
  tenantId: string,
  id: string,
): Promise<{ blobKey: string; periodEnd: string } | undefined> {
  const row = await ctx.sql.get<Row>(
    `select p.blob_key, p.period_end from reports p join tenants t on t.id = p.tenant_id
     where p.id = ? and p.tenant_id = ? and p.blob_key is not null and t.status not in ('suspended', 'cancelled')`,
    [id, tenantId],
  )
  return row && { blobKey: row.blob_key as string, periodEnd: row.period_end as string }
}

function fieldsOf(row: Row) {
  return {
    id: row.id as string,
    title: row.title as string,
    type: row.type as ReportType,
    periodStart: row.period_start as string,
    periodEnd: row.period_end as string,
    campaignId: row.campaign_id as string | null,
    deliveredAt: asDate(row.delivered_at),
    createdOn: asInstant(row.created_on),
  }
}

function toTenantItem(row: Row): TenantReport {
  const status = row.status as ReportStatus
  return { ...fieldsOf(row), status: status === 'generating' || status === 'failed' ? 'draft' : status }
}

function toReviewerItem(row: Row): ReviewerReport {
  return {
    ...fieldsOf(row),
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    status: row.status as ReportStatus,
    failureReason: row.failure_reason as string | null,
    createdBy: row.created_by_name as string,
  }
}
