import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import {
  leftTable,
  pick,
  type RowOf,
  type Selection,
  select,
  table,
} from '../../../../platform/database/read.ts'
import { ChannelConnection, channelNames } from '../../../accounts/channels/entities.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { Activity } from '../../activities/entities.ts'
import {
  ContentRequest,
  fromOperator,
  RequestAssignment,
  RequestPiece,
  type RequestStatus,
  toOperator,
} from './entities.ts'
import type {
  BlogRequest,
  BlogRequestDetail,
  BlogRequestQuery,
  BlogRequestRow,
  BlogRequestRowQuery,
  SocialRequest,
  SocialRequestQuery,
} from './schemas.ts'

const q = table(ContentRequest, 'q')
const c = leftTable(ChannelConnection, 'c')
const t = table(Tenant, 't')
const a = table(RequestAssignment, 'a')
const p = table(RequestPiece, 'p')
const x = table(Activity, 'x')

/** A kind of request as people of its tenant see it. */
const blog = select({
  ...pick(q, 'id', 'topic', 'targetKeyword', 'channelId'),
  channelType: c.type,
  status: q.status,
  blogPostId: q.blogPostId,
  createdBy: q.createdByName,
  createdOn: q.createdOn,
})
const blogs = { select: blog, from: `from ${q} left join ${c} on c.id = q.channel_id`, id: q.id }
const social = select({
  ...pick(q, 'id', 'topic', 'platforms', 'brief', 'scheduleFor', 'priority', 'status'),
  createdBy: q.createdByName,
  createdOn: q.createdOn,
})
const socials = { select: social, from: `from ${q}`, id: q.id }

const columns = {
  id: q.id,
  tenantId: q.tenantId,
  tenantName: t.name,
  title: q.topic,
  status: q.status,
  requestedBy: q.createdByName,
  ...pick(q, 'assignee', 'createdOn', 'dueDate'),
}
const operatorRow = select(columns)
const operatorDetail = select({
  ...columns,
  ...pick(q, 'targetKeyword', 'brief', 'channelId', 'priority', 'notes', 'blogPostId'),
})
const forOperators = `from ${q} join ${t} on t.id = q.tenant_id`
const assignment = select({ assignee: a.assignee, by: a.byName, at: a.at })
const finalStep = select(pick(x, 'id', 'title', 'status'))

const ofKind = (ctx: Ctx, kind: 'blog' | 'social') =>
  where(within(ctx.scope, 'q.tenant_id'), equals(q.kind, kind))

/** What a tenant has asked for, newest first. Serves `GET /dashboard/v1/blog-requests`. */
export function listBlogRequests(ctx: Ctx, query: BlogRequestQuery): Promise<Page<BlogRequest>> {
  const filters = [equals(q.status, query['filter.status'])]
  return readPage(ctx, { ...blogs, rows: ofKind(ctx, 'blog'), filters, request: query }, toBlog)
}

/** The same for social networks. Serves `GET /dashboard/v1/social-requests`. */
export function listSocialRequests(ctx: Ctx, query: SocialRequestQuery): Promise<Page<SocialRequest>> {
  const platform = query['filter.platform']
  const filters = [
    equals(q.status, query['filter.status']),
    platform && { sql: 'cast(q.platforms as text) like ?', params: [`%"${platform}"%`] },
  ]
  return readPage(ctx, { ...socials, rows: ofKind(ctx, 'social'), filters, request: query }, toSocial)
}

/** @throws DomainError `NOT_FOUND` */
export async function getBlogRequest(ctx: Ctx, id: string): Promise<BlogRequest> {
  return toBlog(await one(ctx, blogs, 'blog', id))
}

/** @throws DomainError `NOT_FOUND` */
export async function getSocialRequest(ctx: Ctx, id: string): Promise<SocialRequest> {
  return toSocial(await one(ctx, socials, 'social', id))
}

async function one<R>(
  ctx: Ctx,
  list: { select: Selection<R>; from: string },
  kind: 'blog' | 'social',
  id: string,
): Promise<R> {
  const condition = where(ofKind(ctx, kind), equals(q.id, id))
  const row = await list.select.get(ctx.sql, `${list.from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('request')
  return row
}

/** Blog requests of all tenants in scope, newest first. Serves `GET /admin/v1/blog-requests`. */
export function listBlogRequestsForOperators(
  ctx: Ctx,
  given: Partial<BlogRequestRowQuery> = {},
): Promise<Page<BlogRequestRow>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const status = query['filter.status']
  const rows = where(ofKind(ctx, 'blog'), equals(q.tenantId, query['filter.tenantId']))
  const filters = [
    equals(q.status, status && fromOperator(status)),
    equals(q.assignee, query['filter.assignee']),
  ]
  const list = { select: operatorRow, from: forOperators, id: q.id, rows, filters, request: query }
  return readPage(ctx, list, toOperatorRow)
}

/**
 * One blog request with its brief, who was to make it and what is made. Serves `GET /admin/v1/blog-requests/:requestId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForOperators(ctx: Ctx, id: string): Promise<BlogRequestDetail> {
  const detail = { select: operatorDetail, from: forOperators }
  const row = await one(ctx, detail, 'blog', id)
  const scope = within(ctx.scope, 'a.tenant_id')
  const assignments = await assignment.all(
    ctx.sql,
    `from ${a} where a.request_id = ? and ${scope.sql} order by a.id`,
    [id, ...scope.params],
  )
  const piece = within(ctx.scope, 'p.tenant_id')
  const activity = await finalStep.get(
    ctx.sql,
    `from ${p} join ${x} on x.id = p.activity_id where p.request_id = ? and ${piece.sql} order by p.id limit 1`,
    [id, ...piece.params],
  )
  return { ...toOperatorRow(row), assignments, activity: activity ?? null }
}

function toBlog(row: RowOf<typeof blog>): BlogRequest {
  const { targetKeyword, channelId, channelType, blogPostId, ...rest } = row
  return {
    ...rest,
    ...(targetKeyword && { targetKeyword }),
    ...(channelId && { channelId }),
    ...(channelType && { channelName: channelNames[channelType] }),
    ...(blogPostId && { blogPostId }),
  }
}

function toSocial({ brief, scheduleFor, ...row }: RowOf<typeof social>): SocialRequest {
  return { ...row, ...(brief && { brief }), ...(scheduleFor && { scheduleFor }) }
}

function toOperatorRow<R extends { status: RequestStatus }>({ status, ...row }: R) {
  return { ...row, status: toOperator(status) }
}
