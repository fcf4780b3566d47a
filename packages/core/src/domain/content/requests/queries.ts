import type { Row } from '../../../platform/database/database.ts'
import { asDate, asInstant, asJson } from '../../../platform/database/row.ts'
import type { ActivityStatus } from '../../activities/entities.ts'
import { channelNames, type ChannelType } from '../../channels/types.ts'
import type { Ctx } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { readPage } from '../../page-queries.ts'
import { equals, type Page, where } from '../../paging-queries.ts'
import { within } from '../../scope.ts'
import type { Assignee, RequestStatus } from './entities.ts'
import type {
  BlogRequest,
  BlogRequestDetail,
  BlogRequestQuery,
  BlogRequestRow,
  BlogRequestRowQuery,
  SocialRequest,
  SocialRequestQuery,
} from './schemas.ts'
import { fromOperator, type SocialPlatform, toOperator } from './words.ts'

const columns = `select q.id, q.tenant_id, q.topic, q.target_keyword, q.brief, q.channel_id, c.type as channel_type, q.platforms,
  q.priority, q.schedule_for, q.status, q.assignee, q.notes, q.due_date, q.blog_post_id, q.created_by_name, q.created_on
  from content_requests q left join channel_connections c on c.id = q.channel_id`

const ofKind = (ctx: Ctx, kind: 'blog' | 'social') =>
  where(within(ctx.scope, 'q.tenant_id'), equals('q.kind', kind))

/** What a tenant has asked for, newest first. Serves `GET /dashboard/v1/blog-requests`. */
export function listBlogRequests(ctx: Ctx, query: BlogRequestQuery): Promise<Page<BlogRequest>> {
  const filters = [equals('q.status', query['filter.status'])]
  return readPage(
    ctx,
    { select: columns, id: 'q.id', rows: ofKind(ctx, 'blog'), filters, request: query },
    toBlog,
  )
}

/** The same for social networks. Serves `GET /dashboard/v1/social-requests`. */
export function listSocialRequests(ctx: Ctx, query: SocialRequestQuery): Promise<Page<SocialRequest>> {
  const platform = query['filter.platform']
  const filters = [
    equals('q.status', query['filter.status']),
    platform && { sql: 'cast(q.platforms as text) like ?', params: [`%"${platform}"%`] },
  ]
  return readPage(
    ctx,
    { select: columns, id: 'q.id', rows: ofKind(ctx, 'social'), filters, request: query },
    toSocial,
  )
}

/** @throws DomainError `NOT_FOUND` */
export async function getBlogRequest(ctx: Ctx, id: string): Promise<BlogRequest> {
  return toBlog(await one(ctx, 'blog', id))
}

/** @throws DomainError `NOT_FOUND` */
export async function getSocialRequest(ctx: Ctx, id: string): Promise<SocialRequest> {
  return toSocial(await one(ctx, 'social', id))
}

async function one(ctx: Ctx, kind: 'blog' | 'social', id: string): Promise<Row> {
  const condition = where(ofKind(ctx, kind), equals('q.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('request')
  return row
}

const operatorColumns = `select q.id, q.tenant_id, t.name as tenant_name, q.topic, q.status, q.created_by_name, q.assignee,
  q.created_on, q.due_date, q.target_keyword, q.brief, q.channel_id, q.priority, q.notes, q.blog_post_id
  from content_requests q join tenants t on t.id = q.tenant_id`

/** Blog requests of all tenants in scope, newest first. Serves `GET /admin/v1/blog-requests`. */
export function listForOperators(
  ctx: Ctx,
  given: Partial<BlogRequestRowQuery> = {},
): Promise<Page<BlogRequestRow>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const status = query['filter.status']
  const rows = where(ofKind(ctx, 'blog'), equals('q.tenant_id', query['filter.tenantId']))
  const filters = [
    equals('q.status', status && fromOperator(status)),
    equals('q.assignee', query['filter.assignee']),
  ]
  return readPage(ctx, { select: operatorColumns, id: 'q.id', rows, filters, request: query }, toOperatorRow)
}

/**
 * One blog request with its brief, who was to make it and what is made. Serves `GET /admin/v1/blog-requests/:requestId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForOperators(ctx: Ctx, id: string): Promise<BlogRequestDetail> {
  const condition = where(ofKind(ctx, 'blog'), equals('q.id', id))
  const row = await ctx.sql.get<Row>(`${operatorColumns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('request')
  const scope = within(ctx.scope, 'a.tenant_id')
  const assignments = await ctx.sql.all<Row>(
    `select a.assignee, a.by_name, a.at from request_assignments a where a.request_id = ? and ${scope.sql} order by a.id`,
    [id, ...scope.params],
  )
  const piece = within(ctx.scope, 'p.tenant_id')
  const activity = await ctx.sql.get<Row>(
    `select x.id, x.title, x.status from request_pieces p join activities x on x.id = p.activity_id
     where p.request_id = ? and ${piece.sql} order by p.id limit 1`,
    [id, ...piece.params],
  )
  return {
    ...toOperatorRow(row),
    targetKeyword: row.target_keyword as string | null,
    brief: row.brief as string | null,
    channelId: row.channel_id as string | null,
    priority: row.priority as 'normal' | 'high',
    notes: row.notes as string | null,
    blogPostId: row.blog_post_id as string | null,
    assignments: assignments.map((one) => ({
      assignee: one.assignee as Assignee,
      by: one.by_name as string,
      at: asInstant(one.at),
    })),
    activity: activity
      ? {
          id: activity.id as string,
          title: activity.title as string,
          status: activity.status as ActivityStatus,
        }
      : null,
  }
}

function toBlog(row: Row): BlogRequest {
  return {
    id: row.id as string,
    topic: row.topic as string,
    ...(row.target_keyword ? { targetKeyword: row.target_keyword as string } : {}),
    ...(row.channel_id ? { channelId: row.channel_id as string } : {}),
    ...(row.channel_type ? { channelName: channelNames[row.channel_type as ChannelType] } : {}),
    status: row.status as RequestStatus,
    ...(row.blog_post_id ? { blogPostId: row.blog_post_id as string } : {}),
    createdBy: row.created_by_name as string,
    createdOn: asInstant(row.created_on),
  }
}

function toSocial(row: Row): SocialRequest {
  const scheduleFor = asDate(row.schedule_for)
  return {
    id: row.id as string,
    topic: row.topic as string,
    platforms: asJson<SocialPlatform[]>(row.platforms) ?? [],
    ...(row.brief ? { brief: row.brief as string } : {}),
    ...(scheduleFor && { scheduleFor }),
    priority: row.priority as 'normal' | 'high',
    status: row.status as RequestStatus,
    createdBy: row.created_by_name as string,
    createdOn: asInstant(row.created_on),
  }
}

function toOperatorRow(row: Row): BlogRequestRow {
  return {
    id: row.id as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    title: row.topic as string,
    status: toOperator(row.status as RequestStatus),
    requestedBy: row.created_by_name as string,
    assignee: row.assignee as Assignee,
    createdOn: asInstant(row.created_on),
    dueDate: row.due_date as string | null,
  }
}
