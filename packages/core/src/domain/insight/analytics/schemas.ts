import { z } from 'zod'
import { shownDay, spanEnd, ulid } from '../../../platform/wire.ts'
import { goalMetrics } from '../../work/strategy/entities.ts'

export const spendPeriods = ['day', 'week', 'month', 'quarter'] as const
export type SpendPeriod = (typeof spendPeriods)[number]

export const SpendQuery = z.object({
  /** The one that is going on, from its first day; a startDate or an endDate goes before it. */
  period: z.enum(spendPeriods).default('month'),
  /** Days of the tenant's zone, or instants. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
  groupBy: z.enum(['agent', 'model', 'campaign', 'deliverable_type']).default('agent'),
})
export type SpendQuery = z.output<typeof SpendQuery>

export const Spend = z.object({
  totalUsd: z.number(),
  /** What agents may spend in a month; absent where there is no cap. */
  budgetCapUsd: z.number().optional(),
  /** How much of the cap this month has used so far, whatever span is asked for. */
  budgetUsedPct: z.number().optional(),
  /** The dearest first; `pct` adds up to 100, or is 0 when nothing was spent. */
  breakdown: z.array(z.object({ label: z.string(), costUsd: z.number(), pct: z.number() })),
  /** Every day of the span, those without costs included. */
  dailySeries: z.array(z.object({ date: shownDay, costUsd: z.number() })),
})
export type Spend = z.output<typeof Spend>

export const PerformanceQuery = z.object({
  /** Only goals of this metric. */
  'filter.metric': z.enum(goalMetrics).optional(),
})
export type PerformanceQuery = z.output<typeof PerformanceQuery>

export const Performance = z.object({
  data: z.array(
    z.object({
      goalId: ulid,
      goalTitle: z.string(),
      metric: z.enum(goalMetrics),
      targetValue: z.number(),
      /** Since the period began; 0 before that. */
      currentValue: z.number(),
      progressPct: z.number(),
      /** Against as much of the period before it, which is as long. */
      trendDirection: z.enum(['up', 'down', 'flat']),
      period: z.object({ start: shownDay, end: shownDay }),
    }),
  ),
})
export type Performance = z.output<typeof Performance>
