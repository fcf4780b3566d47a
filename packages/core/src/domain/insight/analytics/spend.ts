import type { Ctx } from '../../../kernel/context.ts'
import { toUsd } from '../../../kernel/money.ts'
import { addDays, dayIn, monthStart, startOfDay } from '../../../kernel/periods.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { spentBy } from '../../work/runs/budget/cost-queries.ts'
import { costReport, zoneOf } from '../costs/queries.ts'
import { spendCapOf } from './queries.ts'
import type { Spend, SpendPeriod, SpendQuery } from './schemas.ts'

/**
 * What the tenant's agents have cost, by days of its own zone. Serves `GET /dashboard/v1/analytics/spend`.
 * @throws DomainError `VALIDATION_ERROR` for a span that ends before it begins, or is longer than a year
 */
export async function spend(ctx: Ctx, given: Partial<SpendQuery> = {}): Promise<Spend> {
  const { period = 'month', groupBy = 'agent', startDate, endDate } = given
  const tenantId = oneTenant(ctx)
  const now = ctx.clock.date()
  const zone = await zoneOf(ctx, tenantId)
  const asked =
    startDate === undefined && endDate === undefined
      ? { startDate: startOfDay(firstDayOf(period, dayIn(now, zone)), zone) }
      : { startDate, endDate }
  const { totalUsd, breakdown, dailySeries } = await costReport(ctx, { tenantId, groupBy, ...asked })
  const cap = await spendCapOf(ctx, tenantId)
  const used = cap === null ? 0 : await spentBy(ctx.sql, tenantId, { since: monthStart(now, zone) })
  return {
    totalUsd,
    ...(cap !== null && { budgetCapUsd: toUsd(cap), budgetUsedPct: shareUsed(used, cap) }),
    breakdown: breakdown.map(({ label, costUsd, pct }) => ({ label, costUsd, pct })),
    dailySeries,
  }
}

/** The first day of the period that a day falls in; weeks begin on Mondays. */
export function firstDayOf(period: SpendPeriod, day: string): string {
  const [year = '', month = ''] = day.split('-')
  if (period === 'month') return `${year}-${month}-01`
  if (period === 'quarter')
    return `${year}-${String(Math.floor((Number(month) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  return period === 'week' ? addDays(day, -sinceMonday) : day
}

/** Per cent of a whole, 0 to 100, cut to two decimals: a cap that is not reached never shows as 100. */
export function shareUsed(part: number, whole: number): number {
  if (whole <= 0 || part >= whole) return 100
  return Number((BigInt(part) * 10_000n) / BigInt(whole)) / 100
}
