import type { Ctx } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import {
  count,
  instant,
  nullable,
  pick,
  type RowOf,
  select,
  table,
} from '../../../../platform/database/read.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { statusNow } from '../../../accounts/channels/queries.ts'
import type { ChannelFacts } from './score.ts'

const c = table(ChannelConnection, 'c')

const of = (condition: string) =>
  count(`(select count(*) from publications p where p.channel_id = c.id and ${condition})`)

/** Named by its reason too, as the index of held changes is. */
const heldChange = `p.status = 'published' and p.change_status = 'held' and p.change_hold_reason is not null`

const facts = select({
  ...pick(
    c,
    'id',
    'type',
    'status',
    'accountName',
    'expiresAt',
    'renewable',
    'waitsUntil',
    'figuresRefusedAt',
    'connectedAt',
    'account',
  ),
  lastPublishedAt: nullable(
    instant(
      `(select max(p.published_at) from publications p where p.channel_id = c.id and p.status = 'published')`,
    ),
  ),
  published: of(`p.status = 'published' and p.published_at >= ?`),
  failed: of(`p.status = 'failed' and p.updated_on >= ?`),
  held: of(`p.status = 'held'`),
  unchosen: of(`p.status = 'held' and p.hold_reason = 'account_choice'`),
  unanswered: of(`p.status = 'unknown' and p.asked`),
  failedChanges: of(`p.status = 'published' and p.change_status = 'failed' and p.updated_on >= ?`),
  heldChanges: of(heldChange),
  unchosenChanges: of(`${heldChange} and p.change_hold_reason = 'account_choice'`),
})

/**
 * The facts about a tenant's channels, or about one of them, by their ids.
 * @param since from when on it is counted what came of publications
 */
export async function factsOf(
  ctx: Ctx,
  since: Date,
  channelId?: string,
): Promise<ReadonlyMap<string, Omit<ChannelFacts, 'engagement'>>> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const one =
    channelId === undefined ? { sql: '1 = 1', params: [] } : { sql: 'c.id = ?', params: [channelId] }
  const rows = await facts.all(ctx.sql, `from ${c} where ${scope.sql} and ${one.sql}`, [
    since,
    since,
    since,
    ...scope.params,
    ...one.params,
  ])
  return new Map(rows.map((row) => [row.id, toFacts(ctx, row)]))
}

function toFacts(ctx: Ctx, row: RowOf<typeof facts>): Omit<ChannelFacts, 'engagement'> {
  const { id: _, type, expiresAt, renewable, account, ...rest } = row
  return {
    ...rest,
    status: statusNow(row, ctx.clock.now()),
    consentEndsAt: renewable ? null : expiresAt,
    publishes: ctx.services.connectors.has(type),
    unread: ctx.services.websiteSources.has(type) && account === null,
  }
}
