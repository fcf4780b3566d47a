import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { isoDate, isoDay, page, pageQuery, shownDay, ulid } from '../../../platform/wire.ts'
import { activityStatuses } from '../activities/entities.ts'
import { goalMetrics } from './entities.ts'

export const StrategyChange = z.object({
  /** Markdown; it goes into every prompt. */
  content: z.string().max(50_000),
})
export type StrategyChange = z.output<typeof StrategyChange>

export const StrategyState = z.object({
  content: z.string(),
  /** From 1; 0 while there is none. */
  version: z.int(),
  updatedOn: isoDate.nullable(),
  /** A new one that is being written or waits for its approval. */
  draft: z.object({ activityId: ulid, status: z.enum(activityStatuses) }).nullable(),
})
export type StrategyState = z.output<typeof StrategyState>

export const StrategyRequest = z.object({
  /** What the new strategy has to see to. */
  instructions: z.string().max(10_000).optional(),
})
export type StrategyRequest = z.output<typeof StrategyRequest>

export const StrategyStarted = z.object({ activityId: ulid, runId: ulid })

const goalFields = {
  title: z.string().trim().min(1).max(200),
  metric: z.enum(goalMetrics),
  /** Pieces, per cent, dollars, or what is counted of posts and pages, by the metric. */
  targetValue: usdAmount.refine((value) => value > 0, 'Must be above 0'),
  /** Days of the tenant's zone; both are part of the period. */
  periodStart: isoDay,
  periodEnd: isoDay,
}

export const NewGoal = z.object(goalFields)
export type NewGoal = z.output<typeof NewGoal>
export const GoalChange = NewGoal.partial()
export type GoalChange = z.output<typeof GoalChange>

export const GoalItem = z.object({
  id: ulid,
  ...goalFields,
  periodStart: shownDay,
  periodEnd: shownDay,
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type GoalItem = z.output<typeof GoalItem>
export const GoalPage = page(GoalItem)
export const GoalQuery = pageQuery.extend({ tenantId: ulid.optional() })
export type GoalQuery = z.output<typeof GoalQuery>
