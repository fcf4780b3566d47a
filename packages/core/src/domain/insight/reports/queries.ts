import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { User } from '../../accounts/identity/entities.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Report, ReportDelivery, type ReportStatus } from './entities.ts'
import type {
  ReviewerReport,
  ReviewerReportQuery,
  TenantReport,
  TenantReportDetail,
  TenantReportQuery,
} from './schemas.ts'

const p = table(Report, 'p')
const d = table(ReportDelivery, 'd')
const t = table(Tenant, 't')
const from = `from ${p} join ${t} on t.id = p.tenant_id`

const fields = {
  ...pick(
    p,
    'id',
    'title',
    'type',
    'status',
    'periodStart',
    'periodEnd',
    'campaignId',
    'deliveredAt',
    'createdOn',
  ),
}
const item = select(fields)
const detail = select({
  ...fields,
  content: p.content,
  deliveredBy: p.deliveredByName,
  deliveryChannel: p.deliveryChannel,
})
const reviewerItem = select({
  ...fields,
  tenantId: p.tenantId,
  tenantName: t.name,
  failureReason: p.failureReason,
  createdBy: p.createdByName,
})
const delivery = select({ to: d.address, status: d.status })
const pdf = select({ blobKey: text('p.blob_key'), periodEnd: p.periodEnd })

/** The reports of a tenant, newest first. Serves `GET /dashboard/v1/reports`. */
export function listReports(ctx: Ctx, query: TenantReportQuery): Promise<Page<TenantReport>> {
  const start = query['filter.startDate']
  const end = query['filter.endDate']
  const filters = [
    inStatus(query['filter.status']),
    equals(p.type, query['filter.type']),
    equals(p.campaignId, query['filter.campaignId']),
    start === undefined ? undefined : { sql: 'p.period_end >= ?', params: [start] },
    end === undefined ? undefined : { sql: 'p.period_start <= ?', params: [end] },
  ]
  return readPage(
    ctx,
    { select: item, from, id: p.id, rows: within(ctx.scope, 'p.tenant_id'), filters, request: query },
    (row) => ({ ...row, status: shown(row.status) }),
  )
}

function inStatus(status: TenantReport['status'] | undefined): Condition | undefined {
  if (status !== 'draft') return equals(p.status, status)
  return { sql: `p.status in ('draft', 'generating', 'failed')`, params: [] }
}

/**
 * One report with its Markdown. Serves `GET /dashboard/v1/reports/:reportId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getReport(ctx: Ctx, id: string): Promise<TenantReportDetail> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals(p.id, id))
  const row = await detail.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('report')
  return { ...row, status: shown(row.status), activityId: null }
}

/** Reports of all tenants in scope, newest first. Serves `GET /dm/v1/reports`. */
export function listReportsForReview(ctx: Ctx, query: ReviewerReportQuery): Promise<Page<ReviewerReport>> {
  const filters = [equals(p.status, query['filter.status']), equals(p.type, query['filter.type'])]
  return readPage(
    ctx,
    { select: reviewerItem, from, id: p.id, rows: within(ctx.scope, 'p.tenant_id'), filters, request: query },
    (row) => row,
  )
}

/** One report as reviewers list it. @throws DomainError `NOT_FOUND` */
export async function reviewerReport(ctx: Ctx, id: string): Promise<ReviewerReport> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals(p.id, id))
  const row = await reviewerItem.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('report')
  return row
}

/** What became of the mails of a report, in the order in which they were asked for. */
export function deliveriesOf(ctx: Ctx, reportId: string): Promise<Array<RowOf<typeof delivery>>> {
  const scope = within(ctx.scope, 'tenant_id')
  const rest = `from ${d} where report_id = ? and ${scope.sql} order by id`
  return delivery.all(ctx.sql, rest, [reportId, ...scope.params])
}

/** Where the PDF of a tenant's report lies; undefined while there is none, or when the tenant is shut. */
export function readableReport(
  ctx: Ctx,
  tenantId: string,
  id: string,
): Promise<RowOf<typeof pdf> | undefined> {
  return pdf.get(
    ctx.sql,
    `${from} where p.id = ? and p.tenant_id = ? and p.blob_key is not null and t.status not in ('suspended', 'cancelled')`,
    [id, tenantId],
  )
}

/** What is still generated, or has failed and is with the reviewers, is a draft to the tenant. */
function shown(status: ReportStatus): TenantReport['status'] {
  return status === 'generating' || status === 'failed' ? 'draft' : status
}

const u = table(User, 'u')
const mailbox = select({ email: u.email })

/** The addresses, in lower case, of who may be sent a report: active people of the tenant, and active staff who are assigned to it. */
export async function knownAddresses(sql: Sql, tenantId: string): Promise<Set<string>> {
  const rows = await mailbox.all(
    sql,
    `from ${u} where status = 'active' and (tenant_id = ?
       or id in (select user_id from tenant_assignments where tenant_id = ?))`,
    [tenantId, tenantId],
  )
  return new Set(rows.map(({ email }) => email))
}
