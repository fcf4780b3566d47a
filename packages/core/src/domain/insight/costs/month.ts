import type { Ctx } from '../../../kernel/context.ts'
import { toUsd } from '../../../kernel/money.ts'
import { addDays, dayIn } from '../../../kernel/periods.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { costReport, monthlyCap } from './queries.ts'
import type { MobileSpend, MonthBudget } from './schemas.ts'

/** How many agents the app names. */
const topAgents = 5

/** What a tenant has spent this month of its own zone, beside its cap where it has one; US dollars. */
export async function monthBudget(ctx: Ctx): Promise<MonthBudget> {
  return (await thisMonth(ctx)).budget
}

/** This month's spend with its dearest agents, and the last seven days. Serves `GET /mobile/v1/analytics/spend`. */
export async function spendForApp(ctx: Ctx): Promise<MobileSpend> {
  const { budget, breakdown, timezone } = await thisMonth(ctx)
  const endDate = dayIn(ctx.clock.date(), timezone)
  const startDate = addDays(endDate, -6)
  const week = await costReport(ctx, { tenantId: oneTenant(ctx), startDate, endDate })
  return {
    ...budget,
    topAgents: breakdown
      .filter(({ costUsd }) => costUsd > 0)
      .slice(0, topAgents)
      .map(({ key, costUsd }) => ({ agentRole: key, costUsd })),
    last7Days: week.dailySeries,
  }
}

async function thisMonth(ctx: Ctx) {
  const { capMicros, timezone } = await monthlyCap(ctx)
  const { totalUsd, breakdown } = await costReport(ctx, { tenantId: oneTenant(ctx), groupBy: 'agent' })
  const budget: MonthBudget = {
    totalUsd,
    ...(capMicros !== null && { budgetCapUsd: toUsd(capMicros), budgetUsedPct: used(totalUsd, capMicros) }),
  }
  return { budget, breakdown, timezone }
}

/** Percent to two decimals; what is over the cap is all of it. */
function used(totalUsd: number, capMicros: number): number {
  if (totalUsd >= toUsd(capMicros)) return 100
  return Math.floor((totalUsd / toUsd(capMicros)) * 10_000) / 100
}
