import type { Ctx, Scope, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { afterCursor, cursorRow, readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, inScopeOf, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { preview } from '../../../kernel/text.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, leftTable, type RowOf, select, table } from '../../../platform/database/read.ts'
import { TenantAssignment, User } from '../../accounts/identity/entities.ts'
import { Activity } from '../activities/entities.ts'
import { Output } from '../content/entities.ts'
import { sourcesOf } from '../sources/queries.ts'
import { ApprovalLink } from './entities.ts'
import { a, detail, from, item, toApproval } from './item-queries.ts'
import { rankOf } from './policy.ts'
import type {
  ApprovalItem,
  ApprovalQuery,
  ReviewerApprovalDetail,
  ReviewerApprovalItem,
  ReviewerApprovalQuery,
} from './schemas.ts'
import type { ApprovalStats } from './statistics-schemas.ts'

const l = table(ApprovalLink, 'l')
const x = table(Activity, 'x')
const o = table(Output, 'o')

/** A tenant's approvals, newest first unless asked otherwise. Serves `GET /dashboard/v1/approvals`. */
export async function listApprovals(ctx: Ctx, query: ApprovalQuery): Promise<Page<ApprovalItem>> {
  const result = await readPage(
    ctx,
    {
      select: item,
      from,
      id: a.id,
      rows: tenantCondition(ctx.scope),
      filters: filters(query),
      request: query,
    },
    (row) => toApproval(row, ctx.clock.now()),
  )
  return withLinks(ctx, result)
}

/** Approvals of all tenants in scope, riskiest and oldest first by default. Serves `GET /dm/v1/approvals`. */
export async function listApprovalsForReview(
  ctx: Ctx,
  query: ReviewerApprovalQuery,
): Promise<Page<ReviewerApprovalItem>> {
  const [order, direction] = reviewOrders[query.sortBy]
  const list = { from: 'approvals a', id: 'a.id', tenant: 'a.tenant_id', limit: query.limit + 1 }
  const result = await readPage(
    ctx,
    {
      select: item,
      from,
      id: a.id,
      rows: inScopeOf(ctx, { ...list, order, direction }, ...filters(query), await afterSorted(ctx, query)),
      orderBy: order.map((column) => `${column} ${direction}`).join(', '),
      request: { limit: query.limit, order: 'desc' },
    },
    (row) => toApproval(row, ctx.clock.now()),
  )
  return withLinks(ctx, result)
}

const version = select({ tenantId: a.tenantId, text: o.text, sha256: o.sha256 })

/** The version that a pending approval shows. */
export function shownText(ctx: Ctx, approvalId: string): Promise<RowOf<typeof version> | undefined> {
  const scope = within(ctx.scope, 'a.tenant_id')
  return version.get(
    ctx.sql,
    `from ${a} join ${o} on o.id = a.output_id where a.id = ? and a.status = 'pending' and ${scope.sql}`,
    [approvalId, ...scope.params],
  )
}

const reviewOrders: Record<ReviewerApprovalQuery['sortBy'], readonly [readonly string[], 'asc' | 'desc']> = {
  risk_then_age: [['a.risk_rank', 'a.id'], 'asc'],
  age: [['a.id'], 'asc'],
  created_on: [['a.id'], 'desc'],
}

const newest = leftTable(Output, 'o')
const linkedText = select({
  id: l.activityId,
  title: x.title,
  status: x.status,
  dependsOn: x.dependsOn,
  outputRef: newest.id,
  output: newest.text,
  version: newest.version,
  previousOutput: leftTable(Output, 'p').text,
})

/**
 * One approval with what is linked to it, as text and as it was before; of the text that it is about the version that it shows. Serves `GET …/approvals/:approvalId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getApproval(ctx: Ctx, id: string): Promise<ReviewerApprovalDetail> {
  const condition = where(tenantCondition(ctx.scope), equals(a.id, id))
  const found = await detail.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!found) throw notFound('approval')
  const { outputId, ...approval } = found
  const links = await linkedText.all(
    ctx.sql,
    `from ${l} join ${x} on x.id = l.activity_id
     left join outputs o on o.activity_id = x.id
       and o.version = coalesce((select version from outputs where id = ? and activity_id = x.id),
         (select max(version) from outputs where activity_id = x.id))
     left join outputs p on p.activity_id = x.id and p.version = o.version - 1
     where l.approval_id = ? order by l.activity_id`,
    [outputId, id],
  )
  const sources = await sourcesOf(ctx, {
    activityIds: [...new Set(links.flatMap((each) => [each.id, ...each.dependsOn]))],
    text: links.map(({ output }) => output).join('\n'),
  })
  return {
    ...toApproval(approval, ctx.clock.now()),
    linkedActivities: links.map(toLinked),
    ...(sources.length > 0 && { sources }),
  }
}

function toLinked(link: RowOf<typeof linkedText>): ReviewerApprovalDetail['linkedActivities'][number] {
  const { outputRef, output, version, previousOutput, dependsOn: _, ...activity } = link
  if (outputRef === null || output === null || version === null) return activity
  return {
    ...activity,
    outputRef,
    outputPreview: preview(output, 500),
    output,
    version,
    ...(previousOutput !== null && { previousOutput }),
  }
}

const stats = select({
  pending: count('count(*)'),
  highRisk: count("count(case when risk_level = 'high' then 1 end)"),
  expiringIn24h: count('count(case when expires_at <= ? then 1 end)'),
  resolvedThisWeek: count('(select resolved from week)'),
})

/** Counts for the head of the page. Serves `GET /dashboard/v1/approvals/stats`. */
export async function approvalStats(ctx: Ctx): Promise<ApprovalStats> {
  const now = ctx.clock.now()
  const scope = within(ctx.scope, 'tenant_id')
  const [found] = await stats.allOf(
    ctx.sql,
    `with week as (select count(*) as resolved from approvals where resolved_at >= ? and ${scope.sql})
     select ${stats.columns} from approvals where status = 'pending' and ${scope.sql}`,
    [new Date(now - 7 * 24 * hour), ...scope.params, new Date(now + 24 * hour), ...scope.params],
  )
  return { pending: 0, highRisk: 0, expiringIn24h: 0, resolvedThisWeek: 0, ...found }
}

const hour = 3_600_000

function tenantCondition(scope: Scope): Condition {
  return within(scope, 'a.tenant_id')
}

function filters(query: Pick<ApprovalQuery, 'filter.status' | 'filter.type' | 'filter.riskLevel'>) {
  const risk = query['filter.riskLevel']
  return [
    equals(a.status, query['filter.status']),
    equals(a.type, query['filter.type']),
    equals(a.riskRank, risk && rankOf(risk)),
  ]
}

const place = select({ rank: a.riskRank })

/** In the order of risk a cursor's place is its risk and its id; the other orders need the id alone. */
async function afterSorted(
  ctx: Ctx,
  { cursor, sortBy }: ReviewerApprovalQuery,
): Promise<Condition | undefined> {
  if (cursor === undefined) return undefined
  const list = { select: place, from: `from ${a}`, id: a.id, rows: tenantCondition(ctx.scope) }
  if (sortBy !== 'risk_then_age')
    return afterCursor(ctx, list, { cursor, order: sortBy === 'age' ? 'asc' : 'desc' })
  const { rank } = await cursorRow(ctx, list, cursor)
  return { sql: '(a.risk_rank, a.id) > (?, ?)', params: [rank, cursor] }
}

const link = select({ approvalId: l.approvalId, id: l.activityId, title: x.title, status: x.status })

async function withLinks<T extends ApprovalItem>(ctx: Ctx, result: Page<T>): Promise<Page<T>> {
  if (result.data.length === 0) return result
  const ids = result.data.map(({ id }) => id)
  const rows = await link.all(
    ctx.sql,
    `from ${l} join ${x} on x.id = l.activity_id where l.approval_id in (${placeholders(ids)}) order by l.activity_id`,
    ids,
  )
  const links = Map.groupBy(rows, ({ approvalId }) => approvalId)
  for (const one of result.data)
    one.linkedActivities = (links.get(one.id) ?? []).map(({ id, title, status }) => ({ id, title, status }))
  return result
}

const g = table(TenantAssignment, 'g')
const u = table(User, 'u')
const reviewer = select({ id: u.id })

/** Ids of the reviewers who work for a tenant. */
export async function reviewersOf(txn: Transaction, tenantId: string): Promise<string[]> {
  const scope = within(txn.scope, 'g.tenant_id')
  const rows = await reviewer.all(
    txn.tx,
    `from ${g} join ${u} on u.id = g.user_id
     where g.tenant_id = ? and ${scope.sql} and u.role = 'reviewer' and u.status = 'active'`,
    [tenantId, ...scope.params],
  )
  return rows.map(({ id }) => id)
}
