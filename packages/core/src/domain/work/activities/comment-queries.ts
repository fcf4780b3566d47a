import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, exists, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { ActivityComment } from './entities.ts'
import { type Comment, type CommentQuery, mostComments } from './schemas.ts'

const m = table(ActivityComment, 'm')
const comment = select(
  pick(m, 'id', 'text', 'type', 'authorId', 'authorName', 'authorType', 'mentions', 'createdOn'),
)

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
  const known = await exists(ctx.sql, `from activities where id = ? and ${scope.sql}`, [
    activityId,
    ...scope.params,
  ])
  if (!known) throw notFound('activity')
  return readPage(
    ctx,
    {
      select: comment,
      from: `from ${m}`,
      id: m.id,
      rows: onActivity(ctx, activityId),
      request: query,
    },
    toComment,
  )
}

const comments = select({ total: count('count(*)') })

/** The latest comments on an activity, oldest first, and how many there are. */
export async function latestComments(
  ctx: Ctx,
  activityId: string,
): Promise<{ comments: Comment[]; commentsTotal: number }> {
  const { data } = await listComments(ctx, activityId, { order: 'desc' })
  const condition = onActivity(ctx, activityId)
  const counted = await comments.get(ctx.sql, `from ${m} where ${condition.sql}`, condition.params)
  return { comments: data.toReversed(), commentsTotal: counted?.total ?? 0 }
}

function onActivity(ctx: Ctx, activityId: string): Condition {
  return where(within(ctx.scope, 'm.tenant_id'), equals(m.activityId, activityId))
}

export function toComment(row: RowOf<typeof comment>): Comment {
  const { id, text, type, authorId, authorName, authorType, mentions, createdOn } = row
  return { id, text, type, author: { id: authorId, name: authorName, type: authorType }, mentions, createdOn }
}
