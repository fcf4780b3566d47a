import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { Mention } from './entities.ts'
import { type Comment, type CommentQuery, mostComments } from './schemas.ts'

const columns = `select m.id, m.text, m.type, m.author_id, m.author_name, m.author_type, m.mentions, m.created_on
  from activity_comments m`

/**
 * Comments on an activity, oldest first unless asked otherwise. Serves `GET …/activities/:activityId/comments`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on a `cursor` that is none
 */
export async function listComments(
  ctx: Ctx,
  activityId: string,
  given: Partial<CommentQuery> = {},
): Promise<Page<Comment>> {
  const query = { limit: mostComments, order: 'asc' as const, ...given }
  const scope = within(ctx.scope, 'tenant_id')
  const known = await ctx.sql.get(`select 1 as one from activities where id = ? and ${scope.sql}`, [
    activityId,
    ...scope.params,
  ])
  if (!known) throw notFound('activity')
  return readPage<Row, Comment>(
    ctx,
    {
      select: columns,
      id: 'm.id',
      rows: onActivity(ctx, activityId),
      request: query,
    },
    toComment,
  )
}

/** The latest comments on an activity, oldest first, and how many there are. */
export async function latestComments(
  ctx: Ctx,
  activityId: string,
): Promise<{ comments: Comment[]; commentsTotal: number }> {
  const { data } = await listComments(ctx, activityId, { order: 'desc' })
  const condition = onActivity(ctx, activityId)
  const counted = await ctx.sql.get<Row>(
    `select count(*) as total from activity_comments m where ${condition.sql}`,
    condition.params,
  )
  return { comments: data.toReversed(), commentsTotal: asNumber(counted?.total) }
}

function onActivity(ctx: Ctx, activityId: string): Condition {
  return where(within(ctx.scope, 'm.tenant_id'), equals('m.activity_id', activityId))
}

function toComment(row: Row): Comment {
  return {
    id: row.id as string,
    text: row.text as string,
    type: row.type as Comment['type'],
    author: {
      id: row.author_id as string,
      name: row.author_name as string,
      type: row.author_type as Comment['author']['type'],
    },
    mentions: asJson<Mention[]>(row.mentions) ?? [],
    createdOn: asInstant(row.created_on),
  }
}
