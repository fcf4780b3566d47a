import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { Publication } from '../entities.ts'
import { getPublication } from '../queries.ts'
import { pageDaysOf } from '../website/queries.ts'
import { PublicationMetrics } from './entities.ts'
import { figureNames, type PostFigures } from './figures.ts'
import type { MetricsDay, PublicationView } from './schemas.ts'

const m = table(PublicationMetrics, 'm')
const n = table(ChannelConnection, 'n')
const p = table(Publication, 'p')

const day = select(pick(m, 'day', ...figureNames))
const channel = select(pick(n, 'id', 'tenantId', 'type'))
const post = select(pick(p, 'id', 'externalId', 'url', 'accountKey'))

/** Days of one post that are shown. */
const mostDays = 93

/** Serves `GET /dashboard/v1/publications/:publicationId`. @throws DomainError `NOT_FOUND` */
export async function showPublication(ctx: Ctx, id: string): Promise<PublicationView> {
  const publication = await getPublication(ctx, id)
  return { ...publication, metrics: await daysOf(ctx, id), pageDays: await pageDaysOf(ctx, id) }
}

/** What became of a post, the newest day first. */
function daysOf(ctx: Ctx, publicationId: string): Promise<MetricsDay[]> {
  const scope = within(ctx.scope, 'm.tenant_id')
  return day.all(
    ctx.sql,
    `from ${m} where m.publication_id = ? and ${scope.sql} order by m.day desc limit ?`,
    [publicationId, ...scope.params, mostDays],
  )
}

/** Connected channels after one, on which something has gone out since an instant; for the daily round over all tenants. */
export function channelsWithPosts(ctx: Ctx, since: Date, after: string, limit: number) {
  return channel.all(
    ctx.sql,
    `from ${n} where n.id > ? and n.status = 'connected' and exists (
       select 1 from ${p} where p.channel_id = n.id and p.status = 'published' and p.published_at >= ?)
     order by n.id limit ?`,
    [after, since, limit],
  )
}

/** Posts of a channel that went out since an instant, the newest first. @param before of those before this one */
export function postsOf(
  ctx: Ctx,
  { channelId, since, before }: { channelId: string; since: Date; before: string | undefined },
  limit: number,
) {
  const scope = within(ctx.scope, 'p.tenant_id')
  return post.all(
    ctx.sql,
    `from ${p} where p.channel_id = ? and p.status = 'published' and p.published_at >= ? and p.external_id is not null
       ${before === undefined ? '' : 'and p.id < ?'} and ${scope.sql} order by p.id desc limit ?`,
    [channelId, since, ...(before === undefined ? [] : [before]), ...scope.params, limit],
  )
}

/** Writes what a platform says of a post on a day; a day that is known is put right, never added to. */
export function recordFigures(
  txn: Transaction,
  of: { tenantId: string; publicationId: string; day: string },
  figures: PostFigures,
): Promise<number> {
  return upsertRows(
    txn.tx,
    {
      table: 'publication_metrics',
      key: ['publication_id', 'day'],
      fixed: ['id', 'tenant_id'],
      values: figureNames,
      stamp: ['updated_on'],
    },
    [
      {
        id: txn.newId(),
        tenant_id: of.tenantId,
        publication_id: of.publicationId,
        day: of.day,
        ...Object.fromEntries(figureNames.map((name) => [name, figures[name] ?? null])),
        updated_on: txn.clock.date(),
      },
    ],
  )
}
