import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { flag, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
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
    'changedAt',
    'requestedByName',
    'createdOn',
  ),
  ...pick(p, 'changeStatus', 'changeHash', 'changeHoldReason', 'changeError', 'changeNextAt'),
  needsAnswer: flag(`case when p.status = 'unknown' and p.asked then 1 else 0 end`),
})

function toItem(row: RowOf<typeof item>): PublicationItem {
  const { changeStatus, changeHash, changeHoldReason, changeError, changeNextAt, ...rest } = row
  const change = changeStatus &&
    changeHash && {
      status: changeStatus,
      contentHash: changeHash,
      holdReason: changeHoldReason,
      error: changeError,
      nextAt: changeNextAt,
    }
  return { ...rest, change: change || null }
}

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
    toItem,
  )
}

/** Serves `GET /dashboard/v1/publications/:publicationId`. @throws DomainError `NOT_FOUND` */
export async function getPublication(ctx: Ctx, id: string): Promise<PublicationItem> {
  const condition = where(within(ctx.scope, 'p.tenant_id'), equals(p.id, id))
  const row = await item.get(ctx.sql, `from ${p} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('publication')
  return toItem(row)
}

const named = select({ id: p.id })
const mostAtOnce = 500

/** Intents that should have been looked at before an instant, or whose changes should have, those of each that wait longest. */
export async function overduePublications(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const found: string[] = []
  for (const column of ['p.next_at', 'p.change_next_at']) {
    const rows = await named.all(
      ctx.sql,
      `from ${p} where ${column} < ? and ${scope.sql} order by ${column} limit ?`,
      [before, ...scope.params, mostAtOnce],
    )
    found.push(...rows.map(({ id }) => id))
  }
  return [...new Set(found)]
}

const forChannel = `in ('channel_disconnected', 'account_choice')`

/** Intents that wait for a channel to be connected again, or for its account to be chosen, and those whose changes do. */
export async function heldForChannel(ctx: Ctx, channelId: string): Promise<string[]> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const found: string[] = []
  for (const held of [
    `p.status = 'held' and p.hold_reason ${forChannel}`,
    `p.change_hold_reason ${forChannel}`,
  ]) {
    const rows = await named.all(
      ctx.sql,
      `from ${p} where p.channel_id = ? and ${held} and ${scope.sql} order by p.id`,
      [channelId, ...scope.params],
    )
    found.push(...rows.map(({ id }) => id))
  }
  return [...new Set(found)]
}
