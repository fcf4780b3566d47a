import { z } from 'zod'
import { ActivitySummary } from '../../work/activities/schemas.ts'
import { MobileApprovalItem } from '../../work/approvals/mobile-schemas.ts'

/** The first screen of the app. */
export const Home = z.object({
  pendingApprovals: z.object({ count: z.int(), highRisk: z.int(), items: z.array(MobileApprovalItem) }),
  recentActivities: z.object({ inProgress: z.int(), items: z.array(ActivitySummary) }),
  spend: z.object({
    thisMonthUsd: z.number(),
    budgetCapUsd: z.number().optional(),
    budgetUsedPct: z.number().optional(),
  }),
  campaigns: z.object({ active: z.int(), atRisk: z.int() }),
})
export type Home = z.output<typeof Home>
