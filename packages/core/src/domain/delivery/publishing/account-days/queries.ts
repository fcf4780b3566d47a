import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { nullable, pick, select, table, text } from '../../../../platform/database/read.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { AccountDay } from './entities.ts'
import { type AccountFigureName, accountFigureNames, type DayOfAccount } from './figures.ts'
import type { AccountDayItem } from './schemas.ts'

const d = table(AccountDay, 'd')
const n = table(ChannelConnection, 'n')

const day = select(pick(d, 'day', ...accountFigureNames))
const channel = select(pick(n, 'id', 'tenantId'))
const last = select({ day: nullable(text('max(d.day)')) })

/** Days of one account that are shown. */
const mostDays = 35

/** Connected channels after one whose platform counts something of accounts, for the daily round over all tenants. */
export function countedChannels(ctx: Ctx, after: string, limit: number) {
  const types = [...ctx.services.connectors.values()].flatMap(({ type, accountDays }) =>
    accountDays ? [type] : [],
  )
  return channel.all(
    ctx.sql,
    `from ${n} where n.id > ? and n.status = 'connected' and n.type in (${placeholders(types)}) order by n.id limit ?`,
    [after, ...types, limit],
  )
}

/** The last day that is known of an account; null before the first one. */
export async function lastAccountDay(
  ctx: Ctx,
  { channelId, accountKey }: { channelId: string; accountKey: string },
): Promise<string | null> {
  const scope = within(ctx.scope, 'd.tenant_id')
  const [row] = await last.all(
    ctx.sql,
    `from ${d} where d.channel_id = ? and d.account_key = ? and ${scope.sql}`,
    [channelId, accountKey, ...scope.params],
  )
  return row?.day ?? null
}

/** The days of the account of a channel that was read last, the newest first. */
export function accountDaysOf(ctx: Ctx, channelId: string): Promise<AccountDayItem[]> {
  const scope = within(ctx.scope, 'd.tenant_id')
  return day.all(
    ctx.sql,
    `from ${d} where d.channel_id = ? and ${scope.sql} and d.account_key =
       (select e.account_key from account_days e where e.channel_id = d.channel_id order by e.day desc limit 1)
     order by d.day desc limit ?`,
    [channelId, ...scope.params, mostDays],
  )
}

const columnOf: Record<AccountFigureName, string> = {
  views: 'views',
  reach: 'reach',
  engagements: 'engagements',
  newFollowers: 'new_followers',
  followers: 'followers',
  websiteClicks: 'website_clicks',
  calls: 'calls',
  directions: 'directions',
}

/** Writes what a platform says of some days; a day that is known is put right, never added to. */
export function recordAccountDays(
  txn: Transaction,
  of: { tenantId: string; channelId: string; accountKey: string },
  days: readonly DayOfAccount[],
): Promise<number> {
  return upsertRows(
    txn.tx,
    {
      table: 'account_days',
      key: ['channel_id', 'day'],
      fixed: ['id', 'tenant_id'],
      values: ['account_key', ...accountFigureNames.map((name) => columnOf[name])],
      stamp: ['updated_on'],
    },
    days.map(({ day: on, figures }) => ({
      id: txn.newId(),
      tenant_id: of.tenantId,
      channel_id: of.channelId,
      account_key: of.accountKey,
      day: on,
      ...Object.fromEntries(accountFigureNames.map((name) => [columnOf[name], figures[name] ?? null])),
      updated_on: txn.clock.date(),
    })),
  )
}
