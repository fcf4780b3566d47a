import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { flag, pick, select, table } from '../../../platform/database/read.ts'
import { Publication } from './entities.ts'
import type { PublicationItem, PublicationQuery } from './schemas.ts'

const p = table(Publication, 'p')

const item = select({
  ...pick(
    p,
    'id',
    'activityId',
    'title',
    'channelId',
    'channelType',
    'status',
    'contentHash',
    'scheduledFor',
  ),
  ...pick(
    p,
    'nextAt',
    'holdReason',
    'errorKind',
    'error',
    'url',
    'publishedAt',
    'requestedByName',
    'createdOn',
  ),
  needsAnswer: flag(`case when p.status = 'unknown' and p.asked then 1 else 0 end`),
})

/** What is on its way to channels, or was, newest first. Serves `GET /dashboard/v1/publications`. */
export function listPublications(
  ctx: Ctx,
  given: Partial<PublicationQuery> = {},
): Promise<Page<PublicationItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: item,
      from: `from ${p}`,
      id: p.id,
      rows: within(ctx.scope, 'p.tenant_id'),
      filters: [
        equals(p.status, query['filter.status']),
        equals(p.channelId, query['filter.channelId']),
        equals(p.activityId, query['filter.activityId']),
      ],
      request: query,
    },
    (row) => row,
  )
}

/** Serves `GET /dashboard/v1/publications/:publicationId`. @throws DomainError `NOT_FOUND` */
export async function getPublication(ctx: Ctx, id: string): Promise<PublicationItem> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals(p.id, id))
  const row = await item.get(ctx.sql, `from ${p} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('publication')
  return row
}

const named = select({ id: p.id })
const mostAtOnce = 500

/** Intents that should have been looked at before an instant, the oldest first. */
export async function overduePublications(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${p} where p.next_at < ? and ${scope.sql} order by p.next_at limit ?`,
    [before, ...scope.params, mostAtOnce],
  )
  return rows.map(({ id }) => id)
}

/** Intents that wait for a channel to be connected again, or for its account to be chosen. */
export async function heldForChannel(ctx: Ctx, channelId: string): Promise<string[]> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${p} where p.channel_id = ? and p.status = 'held' and p.hold_reason in ('channel_disconnected', 'account_choice') and ${scope.sql} order by p.id`,
    [channelId, ...scope.params],
  )
  return rows.map(({ id }) => id)
}
