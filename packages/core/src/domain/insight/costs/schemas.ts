import { z } from 'zod'
import { shownDay, spanEnd, ulid } from '../../../platform/wire.ts'

export const CostQuery = z.object({
  tenantId: ulid.optional(),
  /** Days of the tenant's zone when one is named, else of UTC; default: the first of this month, and now. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
  groupBy: z.enum(['tenant', 'agent', 'model', 'campaign']).default('tenant'),
})
export type CostQuery = z.output<typeof CostQuery>

export const CostReport = z.object({
  totalUsd: z.number(),
  breakdown: z.array(
    z.object({
      /** The id, role or name of what it was spent on; `none` where there is nothing of the kind. */
      key: z.string(),
      label: z.string(),
      costUsd: z.number(),
      /** Of the total; all of them add up to 100, or are 0 when nothing was spent. */
      pct: z.number(),
      runs: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
    }),
  ),
  /** Every day of the span, those without costs included. */
  dailySeries: z.array(z.object({ date: shownDay, costUsd: z.number() })),
})
export type CostReport = z.output<typeof CostReport>

const monthBudget = {
  totalUsd: z.number(),
  /** Absent where the tenant has no cap. */
  budgetCapUsd: z.number().optional(),
  budgetUsedPct: z.number().optional(),
}
export const MonthBudget = z.object(monthBudget)
export type MonthBudget = z.output<typeof MonthBudget>

export const MobileSpend = z.object({
  ...monthBudget,
  /** Dearest first. */
  topAgents: z.array(z.object({ agentRole: z.string(), costUsd: z.number() })),
  /** Days of the tenant's zone, today last. */
  last7Days: z.array(z.object({ date: shownDay, costUsd: z.number() })),
})
export type MobileSpend = z.output<typeof MobileSpend>
