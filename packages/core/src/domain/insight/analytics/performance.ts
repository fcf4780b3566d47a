import type { Ctx } from '../../../kernel/context.ts'
import { toMicros } from '../../../kernel/money.ts'
import { addDays, dayIn, daysBetween, startOfDay } from '../../../kernel/periods.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { listGoals } from '../../work/strategy/queries.ts'
import type { GoalItem } from '../../work/strategy/schemas.ts'
import { zoneOf } from '../costs/queries.ts'
import { readFigures, type Window } from './queries.ts'
import type { Performance, PerformanceQuery } from './schemas.ts'
import { shareUsed } from './spend.ts'

/**
 * How far each goal is, and whether that is more than in as much of the period before. Newest goals first.
 * Serves `GET /dashboard/v1/analytics/performance`.
 */
export async function performance(ctx: Ctx, given: Partial<PerformanceQuery> = {}): Promise<Performance> {
  const tenantId = oneTenant(ctx)
  const metric = given['filter.metric']
  const { data } = await listGoals(ctx, { limit: 100 })
  const goals = data.filter((goal) => metric === undefined || goal.metric === metric)
  const zone = await zoneOf(ctx, tenantId)
  const now = ctx.clock.date()
  const windows = goals.flatMap((goal) => windowsOf(goal, zone, now))
  const figures = await readFigures(ctx, tenantId, windows)
  return {
    data: goals.map((goal, at) => {
      const [current = 0, before = 0] = figures.slice(at * 2, at * 2 + 2)
      return {
        goalId: goal.id,
        goalTitle: goal.title,
        metric: goal.metric,
        targetValue: goal.targetValue,
        currentValue: Math.round(current / (goal.metric === 'first_pass_rate' ? 10_000 : 1)) / scaleOf(goal),
        progressPct: shareUsed(current, toMicros(goal.targetValue)),
        trendDirection: current > before ? 'up' : current < before ? 'down' : 'flat',
        period: { start: goal.periodStart, end: goal.periodEnd },
      }
    }),
  }
}

/** A rate has two decimals; the others are exact. */
const scaleOf = ({ metric }: GoalItem) => (metric === 'first_pass_rate' ? 100 : 1_000_000)

/** What has passed of a goal's period, and as much of the one before it. */
function windowsOf({ metric, periodStart, periodEnd }: GoalItem, zone: string, now: Date): [Window, Window] {
  const from = startOfDay(periodStart, zone)
  const end = startOfDay(addDays(periodEnd, 1), zone)
  const until = new Date(Math.min(Math.max(now.getTime() + 1, from.getTime()), end.getTime()))
  const length = daysBetween(periodStart, periodEnd)
  const earlierDay = addDays(periodStart, -length)
  const beforeFrom = startOfDay(earlierDay, zone)
  const passed = until.getTime() - from.getTime()
  const days = Math.min(Math.max(daysBetween(periodStart, dayIn(now, zone)), 0), length)
  // A day is longer or shorter where clocks change; the period before ends where this one begins.
  const beforeUntil = until < end ? new Date(Math.min(beforeFrom.getTime() + passed, from.getTime())) : from
  return [
    { metric, from, until, firstDay: periodStart, endDay: addDays(periodStart, days) },
    { metric, from: beforeFrom, until: beforeUntil, firstDay: earlierDay, endDay: addDays(earlierDay, days) },
  ]
}
