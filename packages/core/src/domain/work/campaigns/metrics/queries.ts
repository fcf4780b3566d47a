import type { Ctx } from '../../../../kernel/context.ts'
import { invalid, notFound } from '../../../../kernel/errors.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { addDays, dayIn, daysBetween, firstOfMonth } from '../../../../kernel/periods.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, nullable, pick, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { CampaignMetrics } from './entities.ts'
import { addSums, toFigures } from './figures.ts'
import type { CampaignMetricsReply, MetricsQuery } from './schemas.ts'

const m = table(CampaignMetrics, 'm')
const day = select(
  pick(m, 'channel', 'date', 'currency', 'impressions', 'clicks', 'costMicros', 'conversionMicros'),
)
type Day = RowOf<typeof day>

const owner = select({ timezone: text('t.timezone') })

/** The most days that are looked at in one go. */
const mostDays = 1_100
const usualDays = 30

/**
 * What a campaign has brought, by day, week or month, with totals of the same rows. Serves
 * `GET /tenant/v1/campaigns/:campaignId/metrics`.
 * @param lastSyncedAt when the figures were last fetched
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `from` for a span that is none, or longer than three years
 */
export async function readMetrics(
  ctx: Ctx,
  campaignId: string,
  query: MetricsQuery,
  lastSyncedAt: Date | null,
): Promise<CampaignMetricsReply> {
  const known = where(within(ctx.scope, 'c.tenant_id'), equals('c.id', campaignId))
  const tables = 'from campaigns c join tenants t on t.id = c.tenant_id'
  const found = await owner.get(ctx.sql, `${tables} where ${known.sql}`, known.params)
  if (!found) throw notFound('campaign')
  const to = query.to ?? dayIn(ctx.clock.date(), found.timezone)
  const from = query.from ?? addDays(to, 1 - usualDays)
  if (from > to) throw invalid('from', 'from must not be after to')
  if (daysBetween(from, to) > mostDays) throw invalid('from', `At most ${mostDays} days at once`)
  const condition = where(
    within(ctx.scope, 'm.tenant_id'),
    equals(m.campaignId, campaignId),
    equals(m.channel, query.channel),
    { sql: 'm.date >= ? and m.date <= ?', params: [from, to] },
  )
  const rows = await day.all(ctx.sql, `from ${m} where ${condition.sql} order by m.date, m.channel`, [
    ...condition.params,
  ])
  const { granularity } = query
  return {
    from,
    to,
    granularity,
    data: gather(rows, ({ date }) => startOf(date, granularity)).map(({ date, channel, ...sums }) => ({
      date,
      channel,
      ...toFigures(sums),
    })),
    totals: gather(rows, () => from).map((sums) => ({ channel: sums.channel, ...toFigures(sums) })),
    lastSyncedAt,
  }
}

function startOf(date: string, granularity: MetricsQuery['granularity']): string {
  if (granularity === 'month') return firstOfMonth(date)
  if (granularity === 'day') return date
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
  return addDays(date, -weekday)
}

/** Sums of days that belong together, in the order of the first of each. */
function gather(rows: readonly Day[], startOfRow: (row: Day) => string): Day[] {
  const all = new Map<string, Day>()
  for (const row of rows) {
    const date = startOfRow(row)
    const key = `${date} ${row.channel} ${row.currency}`
    const sums = all.get(key)
    if (sums) addSums(sums, row)
    else all.set(key, { ...row, date })
  }
  return [...all.values()]
}

/** The latest day of each channel of a campaign. */
export async function latestDays(ctx: Ctx, campaignId: string) {
  const scope = within(ctx.scope, 'm.tenant_id')
  const rows = await day.all(
    ctx.sql,
    `from ${m} where m.campaign_id = ? and ${scope.sql} and m.date =
       (select max(n.date) from campaign_metrics n where n.campaign_id = m.campaign_id and n.channel = m.channel) order by m.channel`,
    [campaignId, ...scope.params],
  )
  return rows.map(({ date, channel, ...sums }) => ({ channel, date, ...toFigures(sums) }))
}

/** All conversions of the campaign `c` that were ever counted, in millionths; null where nothing was. */
export const conversionsOfCampaign = nullable(
  count('(select sum(m.conversion_micros) from campaign_metrics m where m.campaign_id = c.id)'),
)
