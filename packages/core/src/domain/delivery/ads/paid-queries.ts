import type { Ctx } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { addDays, dayIn, daysBetween } from '../../../kernel/periods.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, pick, select, table, text } from '../../../platform/database/read.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { CampaignMetrics } from '../../work/campaigns/metrics/entities.ts'
import { type Sums, toFigures } from '../../work/campaigns/metrics/figures.ts'
import { CampaignMapping } from './entities.ts'
import type { PaidCampaignPage, PaidCampaignQuery } from './paid-schemas.ts'

const p = table(CampaignMapping, 'p')
const c = table(Campaign, 'c')
const m = table(CampaignMetrics, 'm')

const item = select({
  ...pick(p, 'id', 'campaignId', 'platform', 'currency', 'externalCampaignId', 'externalStatus'),
  ...pick(p, 'dailyBudgetMicros', 'lastSyncedAt', 'syncError'),
  ...pick(c, 'name', 'status'),
})
const zone = select({ timezone: text('t.timezone') })
const sums = {
  currency: m.currency,
  impressions: count('sum(m.impressions)'),
  clicks: count('sum(m.clicks)'),
  costMicros: count('sum(m.cost_micros)'),
  conversionMicros: count('sum(m.conversion_micros)'),
}
const perCampaign = select({ ...pick(m, 'campaignId', 'channel'), ...sums })
const perCurrency = select(sums)

const usualDays = 30
const mostDays = 400

/**
 * The campaigns that run at platforms with what they have brought in a span of days, and totals of all. Serves
 * `GET /dashboard/v1/paid-ads/campaigns`.
 * @throws DomainError `VALIDATION_ERROR` on `from` for a span that is none, or longer than 400 days
 */
export async function listPaidCampaigns(ctx: Ctx, query: PaidCampaignQuery): Promise<PaidCampaignPage> {
  const tenant = await zone.get(ctx.sql, 'from tenants t where t.id = ?', [oneTenant(ctx)])
  const to = query.to ?? dayIn(ctx.clock.date(), tenant?.timezone ?? 'UTC')
  const from = query.from ?? addDays(to, 1 - usualDays)
  if (from > to) throw invalid('from', 'from must not be after to')
  if (daysBetween(from, to) > mostDays) throw invalid('from', `At most ${mostDays} days at once`)
  const span = where(within(ctx.scope, 'm.tenant_id'), equals(m.channel, query['filter.platform']), {
    sql: 'm.date >= ? and m.date <= ?',
    params: [from, to],
  })
  const found = await readPage(
    ctx,
    {
      select: item,
      from: `from ${p} join ${c} on c.id = p.campaign_id`,
      id: p.id,
      rows: within(ctx.scope, 'p.tenant_id'),
      filters: [equals(p.platform, query['filter.platform'])],
      request: query,
    },
    (row) => row,
  )
  const known = await sumsOf(ctx, found.data, { from, to })
  const totals = await perCurrency.all(
    ctx.sql,
    `from ${m} where ${span.sql} group by m.currency order by m.currency`,
    span.params,
  )
  return {
    ...found,
    data: found.data.map(({ dailyBudgetMicros, currency, ...row }) => ({
      ...row,
      dailyBudget: dailyBudgetMicros === null ? null : toUsd(dailyBudgetMicros),
      ...toFigures(known.get(`${row.campaignId} ${row.platform}`) ?? nothing(currency)),
    })),
    from,
    to,
    totals: totals.map(toFigures),
  }
}

const nothing = (currency: string): Sums => ({
  currency,
  impressions: 0,
  clicks: 0,
  costMicros: 0,
  conversionMicros: 0,
})

async function sumsOf(
  ctx: Ctx,
  rows: ReadonlyArray<{ campaignId: string }>,
  { from, to }: { from: string; to: string },
): Promise<Map<string, Sums>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ campaignId }) => campaignId)
  const these: Condition = where(
    within(ctx.scope, 'm.tenant_id'),
    { sql: `m.campaign_id in (${placeholders(ids)})`, params: ids },
    { sql: 'm.date >= ? and m.date <= ?', params: [from, to] },
  )
  const found = await perCampaign.all(
    ctx.sql,
    `from ${m} where ${these.sql} group by m.campaign_id, m.channel, m.currency`,
    these.params,
  )
  return new Map(found.map(({ campaignId, channel, ...own }) => [`${campaignId} ${channel}`, own]))
}
