import type { Row } from '../../../platform/database/database.ts'
import { asDate, asInstant, asNumber, placeholders } from '../../../platform/database/row.ts'
import type { DeliverableType } from '../../campaigns/entities.ts'
import type { Ctx } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { readPage } from '../../page-queries.ts'
import { type Condition, equals, type Page, where } from '../../paging-queries.ts'
import { madeWithin, spanOf } from '../../runs/span.ts'
import { within } from '../../scope.ts'
import { fold } from '../../text-match.ts'
import type { PostStatus } from './entities.ts'
import type {
  BlogPostDetail,
  BlogPostItem,
  BlogPostList,
  BlogPostQuery,
  BlogRow,
  BlogRowQuery,
} from './schemas.ts'

const columns = `b.id, b.title, b.slug, b.status, b.version, b.word_count, b.meta_description, b.dm_approved_by, b.dm_approved_at,
  b.client_approved_by, b.client_approved_at, b.dm_rejection_note, b.created_on, b.updated_on, b.content_hash, b.output_id,
  x.id as activity_id, x.title as activity_title, x.deliverable_type`
const tables = 'blog_posts b left join activities x on x.id = b.activity_id'

/** The posts of one tenant, newest first. Serves `GET /dm/v1/blog`. */
export async function listPosts(ctx: Ctx, query: BlogPostQuery): Promise<BlogPostList> {
  const { page, limit, q } = query
  const condition = where(
    within(ctx.scope, 'b.tenant_id'),
    equals('b.tenant_id', query.tenantId),
    equals('b.status', query.status),
    q?.trim()
      ? { sql: `b.title_key like ? escape '!'`, params: [`%${literally(fold(q.trim()))}%`] }
      : undefined,
  )
  const counted = await ctx.sql.get<Row>(
    `select count(*) as n from blog_posts b where ${condition.sql}`,
    condition.params,
  )
  const total = asNumber(counted?.n)
  const rows = await ctx.sql.all<Row>(
    `select ${columns} from ${tables} where ${condition.sql} order by b.id desc limit ? offset ?`,
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
  const condition = where(within(ctx.scope, 'b.tenant_id'), equals('b.id', id))
  const row = await ctx.sql.get<Row>(
    `select ${columns}, o.text from ${tables} join outputs o on o.id = b.output_id where ${condition.sql}`,
    condition.params,
  )
  if (!row) throw notFound('blog post')
  return { ...toItem(row), content: row.text as string, contentHash: row.content_hash as string }
}

const operatorStatus: Record<PostStatus, BlogRow['status']> = {
  dm_review: 'draft',
  client_review: 'draft',
  client_approved: 'approved',
  rejected: 'archived',
  published: 'published',
}

/** Posts of all tenants in scope, newest first. Serves `GET /admin/v1/blogs`. */
export function listForOperators(ctx: Ctx, given: Partial<BlogRowQuery> = {}): Promise<Page<BlogRow>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const span = { startDate: query['filter.startDate'], endDate: query['filter.endDate'] }
  const rows = where(within(ctx.scope, 'b.tenant_id'), equals('b.tenant_id', query['filter.tenantId']))
  const filters = [inStatus(query['filter.status']), madeWithin('b.id', spanOf(span, 'UTC'))]
  const select = `select b.id, b.tenant_id, t.name as tenant_name, b.title, b.status, b.word_count, b.published_at, b.created_on
    from blog_posts b join tenants t on t.id = b.tenant_id`
  return readPage(ctx, { select, id: 'b.id', rows, filters, request: query }, toRow)
}

function inStatus(wanted: BlogRow['status'] | undefined): Condition | undefined {
  if (wanted === undefined) return undefined
  const statuses = (Object.keys(operatorStatus) as PostStatus[]).filter(
    (one) => operatorStatus[one] === wanted,
  )
  return { sql: `b.status in (${placeholders(statuses)})`, params: statuses }
}

function toItem(row: Row): BlogPostItem {
  return {
    id: row.id as string,
    title: row.title as string,
    slug: row.slug as string,
    status: row.status as PostStatus,
    version: asNumber(row.version),
    wordCount: asNumber(row.word_count),
    metaDescription: row.meta_description as string | null,
    dmApprovedBy: row.dm_approved_by as string | null,
    dmApprovedAt: asDate(row.dm_approved_at),
    clientApprovedBy: row.client_approved_by as string | null,
    clientApprovedAt: asDate(row.client_approved_at),
    dmRejectionNote: row.dm_rejection_note as string | null,
    createdAt: asInstant(row.created_on),
    updatedAt: asInstant(row.updated_on),
    activity: row.activity_id
      ? {
          id: row.activity_id as string,
          label: row.activity_title as string,
          deliverableType: row.deliverable_type as DeliverableType | null,
        }
      : null,
  }
}

function toRow(row: Row): BlogRow {
  return {
    id: row.id as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    title: row.title as string,
    status: operatorStatus[row.status as PostStatus],
    wordCount: asNumber(row.word_count),
    publishedAt: asDate(row.published_at),
    createdOn: asInstant(row.created_on),
  }
}
