import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { madeWithin, spanOf } from '../../../../kernel/date-range.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { normalize } from '../../../../kernel/text.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { count, leftTable, pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { Activity } from '../../activities/entities.ts'
import { Output } from '../entities.ts'
import { BlogPost, type PostStatus } from './entities.ts'
import type { BlogPostDetail, BlogPostList, BlogPostQuery, BlogRow, BlogRowQuery } from './schemas.ts'

const b = table(BlogPost, 'b')
const x = leftTable(Activity, 'x')
const o = table(Output, 'o')
const t = table(Tenant, 't')
const from = `from ${b} left join ${x} on x.id = b.activity_id`

const columns = {
  ...pick(
    b,
    'id',
    'title',
    'slug',
    'status',
    'version',
    'wordCount',
    'metaDescription',
    'dmApprovedBy',
    'dmApprovedAt',
    'clientApprovedBy',
    'clientApprovedAt',
    'dmRejectionNote',
  ),
  createdAt: b.createdOn,
  updatedAt: b.updatedOn,
  activityId: x.id,
  activityTitle: x.title,
  deliverableType: x.deliverableType,
}
const listed = select(columns)
const detailed = select({ ...columns, content: o.text, contentHash: b.contentHash })
const counted = select({ total: count('count(*)') })
const operatorRow = select({
  id: b.id,
  tenantId: b.tenantId,
  tenantName: t.name,
  ...pick(b, 'title', 'status', 'wordCount', 'publishedAt', 'createdOn'),
})

/** The posts of one tenant, newest first. Serves `GET /dm/v1/blog`. */
export async function listPosts(ctx: Ctx, query: BlogPostQuery): Promise<BlogPostList> {
  const { page, limit, q } = query
  const condition = where(
    within(ctx.scope, 'b.tenant_id'),
    equals(b.tenantId, query.tenantId),
    equals(b.status, query.status),
    q?.trim()
      ? { sql: `b.title_key like ? escape '!'`, params: [`%${literally(normalize(q.trim()))}%`] }
      : undefined,
  )
  const all = await counted.get(ctx.sql, `from ${b} where ${condition.sql}`, condition.params)
  const total = all?.total ?? 0
  const rows = await listed.all(
    ctx.sql,
    `${from} where ${condition.sql} order by b.id desc limit ? offset ?`,
    [...condition.params, limit, (page - 1) * limit],
  )
  return { data: rows.map(toItem), total, page, limit, pages: Math.ceil(total / limit) }
}

const literally = (text: string) => text.replace(/[!%_]/g, '!$&')

/**
 * One post with its Markdown. Serves `GET /dm/v1/blog/:id`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getPost(ctx: Ctx, id: string): Promise<BlogPostDetail> {
  const condition = where(within(ctx.scope, 'b.tenant_id'), equals(b.id, id))
  const row = await detailed.get(
    ctx.sql,
    `${from} join ${o} on o.id = b.output_id where ${condition.sql}`,
    condition.params,
  )
  if (!row) throw notFound('blog post')
  return toItem(row)
}

const operatorStatus: Record<PostStatus, BlogRow['status']> = {
  dm_review: 'draft',
  client_review: 'draft',
  client_approved: 'approved',
  rejected: 'archived',
  published: 'published',
}

/** Posts of all tenants in scope, newest first. Serves `GET /admin/v1/blogs`. */
export function listBlogsForOperators(ctx: Ctx, given: Partial<BlogRowQuery> = {}): Promise<Page<BlogRow>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const span = { startDate: query['filter.startDate'], endDate: query['filter.endDate'] }
  const rows = where(within(ctx.scope, 'b.tenant_id'), equals(b.tenantId, query['filter.tenantId']))
  const filters = [inStatus(query['filter.status']), madeWithin('b.id', spanOf(span, 'UTC'))]
  return readPage(
    ctx,
    {
      select: operatorRow,
      from: `from ${b} join ${t} on t.id = b.tenant_id`,
      id: b.id,
      rows,
      filters,
      request: query,
    },
    (row) => ({ ...row, status: operatorStatus[row.status] }),
  )
}

function inStatus(wanted: BlogRow['status'] | undefined): Condition | undefined {
  if (wanted === undefined) return undefined
  const statuses = (Object.keys(operatorStatus) as PostStatus[]).filter(
    (one) => operatorStatus[one] === wanted,
  )
  return { sql: `b.status in (${placeholders(statuses)})`, params: statuses }
}

function toItem<R extends RowOf<typeof listed>>(found: R) {
  const { activityId: id, activityTitle: label, deliverableType, ...row } = found
  return { ...row, activity: id === null || label === null ? null : { id, label, deliverableType } }
}

const taken = select({ slug: b.slug })

/** Slugs of a tenant's posts that begin with `base`. */
export async function slugsLike(txn: Transaction, tenantId: string, base: string): Promise<Set<string>> {
  const rows = await taken.all(
    txn.tx,
    `from ${b} where b.tenant_id = ? and (b.slug = ? or (b.slug > ? and b.slug < ?))`,
    [tenantId, base, `${base}-`, `${base}.`],
  )
  return new Set(rows.map(({ slug }) => slug))
}
