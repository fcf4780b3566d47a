import type { Row, Sql, SqlValue } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import type { ActivityStatus } from '../activities/entities.ts'
import type { ContentCheck } from '../brand/schemas.ts'
import { preview } from '../content/preview.ts'
import type { Ctx, Scope } from '../context.ts'
import { notFound } from '../errors.ts'
import { afterCursor, cursorRow, readPage } from '../page-queries.ts'
import { type Condition, equals, inScopeOf, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { rankOf } from './policy.ts'
import type { ApprovalStatus, ApprovalType, RiskLevel } from './entities.ts'
import type {
  ApprovalItem,
  ApprovalQuery,
  ApprovalStats,
  ReviewerApprovalDetail,
  ReviewerApprovalItem,
  ReviewerApprovalQuery,
} from './schemas.ts'

const columns = `select a.id, a.tenant_id, t.name as tenant_name, a.title, a.type, a.risk_level, a.risk_rank, a.status,
  a.description, a.options, a.created_by_id, a.created_by_name, a.created_by_type, a.created_on, a.expires_at, a.resolved_at,
  a.resolved_by_id, a.resolved_by_name, a.resolution, a.resolution_note, a.content_hash, a.output_id, a.edited, a.replaced_by,
  a.forwarded_from, a.forwarded_to, a.due_at, a.claimed_by_id, a.claimed_by_name, a.claimed_until, shown.checks
  from approvals a join tenants t on t.id = a.tenant_id left join outputs shown on shown.id = a.output_id`

/** A tenant's approvals, newest first unless asked otherwise. Serves `GET /dashboard/v1/approvals`. */
export async function listApprovals(ctx: Ctx, query: ApprovalQuery): Promise<Page<ApprovalItem>> {
  const result = await readPage<Row, ReviewerApprovalItem>(
    ctx,
    {
      select: columns,
      id: 'a.id',
      rows: tenantCondition(ctx.scope),
      filters: filters(query),
      request: query,
    },
    (row) => toItem(row, ctx.clock.now()),
  )
  return withLinks(ctx, result)
}

/** Approvals of all tenants in scope, riskiest and oldest first by default. Serves `GET /dm/v1/approvals`. */
export async function listForReview(
  ctx: Ctx,
  query: ReviewerApprovalQuery,
): Promise<Page<ReviewerApprovalItem>> {
  const [order, direction] = reviewOrders[query.sortBy]
  const list = { from: 'approvals a', id: 'a.id', tenant: 'a.tenant_id', limit: query.limit + 1 }
  const result = await readPage<Row, ReviewerApprovalItem>(
    ctx,
    {
      select: columns,
      id: 'a.id',
      rows: inScopeOf(ctx, { ...list, order, direction }, ...filters(query), await afterSorted(ctx, query)),
      orderBy: order.map((column) => `${column} ${direction}`).join(', '),
      request: { limit: query.limit, order: 'desc' },
    },
    (row) => toItem(row, ctx.clock.now()),
  )
  return withLinks(ctx, result)
}

/** The version that a pending approval shows. */
export async function shownText(
  ctx: Ctx,
  approvalId: string,
): Promise<{ tenantId: string; text: string; sha256: string } | undefined> {
  const scope = within(ctx.scope, 'a.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select a.tenant_id, o.text, o.sha256 from approvals a join outputs o on o.id = a.output_id
     where a.id = ? and a.status = 'pending' and ${scope.sql}`,
    [approvalId, ...scope.params],
  )
  return row && { tenantId: row.tenant_id as string, text: row.text as string, sha256: row.sha256 as string }
}

const reviewOrders: Record<ReviewerApprovalQuery['sortBy'], readonly [readonly string[], 'asc' | 'desc']> = {
  risk_then_age: [['a.risk_rank', 'a.id'], 'asc'],
  age: [['a.id'], 'asc'],
  created_on: [['a.id'], 'desc'],
}

/**
 * One approval with what is linked to it, as text and as it was before; of the text that it is about the version that it shows. Serves `GET …/approvals/:approvalId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getApproval(ctx: Ctx, id: string): Promise<ReviewerApprovalDetail> {
  const condition = where(tenantCondition(ctx.scope), equals('a.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('approval')
  const links = await ctx.sql.all<Row>(
    `select l.activity_id, x.title, x.status, o.id as output_id, o.text, o.version, p.text as previous
     from approval_links l join activities x on x.id = l.activity_id
     left join outputs o on o.activity_id = x.id
       and o.version = coalesce((select version from outputs where id = ? and activity_id = x.id),
         (select max(version) from outputs where activity_id = x.id))
     left join outputs p on p.activity_id = x.id and p.version = o.version - 1
     where l.approval_id = ? order by l.activity_id`,
    [row.output_id as string | null, id],
  )
  const linkedActivities = links.map((link) => ({
    ...toLink(link),
    ...(link.output_id
      ? {
          outputRef: link.output_id as string,
          outputPreview: preview(link.text as string, 500),
          output: link.text as string,
          version: link.version as number,
          ...(typeof link.previous === 'string' && { previousOutput: link.previous }),
        }
      : {}),
  }))
  return { ...toItem(row, ctx.clock.now()), linkedActivities }
}

/** Counts for the head of the page. Serves `GET /dashboard/v1/approvals/stats`. */
export async function approvalStats(ctx: Ctx): Promise<ApprovalStats> {
  const now = ctx.clock.now()
  const lastWeek = new Date(now - 7 * 24 * hour)
  const scope = within(ctx.scope, 'tenant_id')
  const row = await ctx.sql.get<Row>(
    `select count(*) as pending, count(case when risk_level = 'high' then 1 end) as high_risk,
       count(case when expires_at <= ? then 1 end) as expiring,
       (select count(*) from approvals where resolved_at >= ? and ${scope.sql}) as resolved
     from approvals where status = 'pending' and ${scope.sql}`,
    [new Date(now + 24 * hour), lastWeek, ...scope.params, ...scope.params],
  )
  return {
    pending: asNumber(row?.pending),
    highRisk: asNumber(row?.high_risk),
    expiringIn24h: asNumber(row?.expiring),
    resolvedThisWeek: asNumber(row?.resolved),
  }
}

const hour = 3_600_000

function tenantCondition(scope: Scope): Condition {
  return within(scope, 'a.tenant_id')
}

function filters(query: Pick<ApprovalQuery, 'filter.status' | 'filter.type' | 'filter.riskLevel'>) {
  const risk = query['filter.riskLevel']
  return [
    equals('a.status', query['filter.status']),
    equals('a.type', query['filter.type']),
    equals('a.risk_rank', risk && rankOf(risk)),
  ]
}

/** In the order of risk a cursor's place is its risk and its id; the other orders need the id alone. */
async function afterSorted(
  ctx: Ctx,
  { cursor, sortBy }: ReviewerApprovalQuery,
): Promise<Condition | undefined> {
  if (cursor === undefined) return undefined
  const list = { select: 'select a.risk_rank from approvals a', id: 'a.id', rows: tenantCondition(ctx.scope) }
  if (sortBy !== 'risk_then_age')
    return afterCursor(ctx, list, { cursor, order: sortBy === 'age' ? 'asc' : 'desc' })
  const { risk_rank: rank } = await cursorRow(ctx, list, cursor)
  return { sql: '(a.risk_rank, a.id) > (?, ?)', params: [rank as SqlValue, cursor] }
}

async function withLinks<T extends ApprovalItem>(ctx: Ctx, result: Page<T>): Promise<Page<T>> {
  const links = await linksOf(
    ctx.sql,
    result.data.map((item) => item.id),
  )
  for (const item of result.data) item.linkedActivities = links.get(item.id) ?? []
  return result
}

async function linksOf(
  sql: Sql,
  ids: readonly string[],
): Promise<Map<string, ApprovalItem['linkedActivities']>> {
  const found = new Map<string, ApprovalItem['linkedActivities']>()
  if (ids.length === 0) return found
  const rows = await sql.all<Row>(
    `select l.approval_id, l.activity_id, x.title, x.status from approval_links l
     join activities x on x.id = l.activity_id where l.approval_id in (${placeholders(ids)}) order by l.activity_id`,
    ids,
  )
  for (const row of rows) {
    const list = found.get(row.approval_id as string) ?? []
    list.push(toLink(row))
    found.set(row.approval_id as string, list)
  }
  return found
}

function toLink(row: Row) {
  return { id: row.activity_id as string, title: row.title as string, status: row.status as ActivityStatus }
}

function toItem(row: Row, now: number): ReviewerApprovalItem {
  const dueAt = asDate(row.due_at)
  const claimedUntil = row.status === 'pending' ? asDate(row.claimed_until) : null
  const resolvedAt = asDate(row.resolved_at)
  const options = asJson<string[]>(row.options)
  const checks = asJson<ContentCheck[]>(row.checks)
  return {
    id: row.id as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    title: row.title as string,
    type: row.type as ApprovalType,
    riskLevel: row.risk_level as RiskLevel,
    status: row.status as ApprovalStatus,
    linkedActivities: [],
    createdBy: {
      id: row.created_by_id as string,
      name: row.created_by_name as string,
      type: row.created_by_type as 'agent' | 'human',
    },
    createdOn: asInstant(row.created_on),
    expiresAt: asInstant(row.expires_at),
    ...(dueAt ? { dueAt } : {}),
    ...(claimedUntil && claimedUntil.getTime() > now
      ? { claimedBy: { id: row.claimed_by_id as string, name: row.claimed_by_name as string }, claimedUntil }
      : {}),
    ...(row.description ? { description: row.description as string } : {}),
    ...(options ? { options } : {}),
    ...(resolvedAt ? { resolvedAt } : {}),
    ...(row.resolved_by_id
      ? { resolvedBy: { id: row.resolved_by_id as string, name: (row.resolved_by_name as string) ?? '' } }
      : {}),
    ...(row.resolution ? { resolution: row.resolution as string } : {}),
    ...(row.resolution_note ? { resolutionNote: row.resolution_note as string } : {}),
    ...(row.content_hash ? { contentHash: row.content_hash as string } : {}),
    ...(checks ? { checks } : {}),
    ...(row.edited ? { edited: true as const } : {}),
    ...(row.forwarded_to ? { forwardedTo: row.forwarded_to as string } : {}),
    ...(row.forwarded_from ? { forwardedFrom: row.forwarded_from as string } : {}),
    ...(row.replaced_by ? { replacedBy: row.replaced_by as string } : {}),
  }
}
