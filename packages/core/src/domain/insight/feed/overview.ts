import type { Ctx } from '../../../kernel/context.ts'
import { type FeedCounts, feedCounts } from './count-queries.ts'
import type { Overview } from './schemas.ts'

const hourMs = 3_600_000

/** Every tenant in scope at a glance, and all of them together. Serves `GET /dm/v1/overview`. */
export async function getOverview(ctx: Ctx): Promise<Overview> {
  const all = await feedCounts(ctx)
  const now = ctx.clock.now()
  const sum = (count: (one: FeedCounts) => number) => all.reduce((total, one) => total + count(one), 0)
  return {
    tenants: all.map((one) => ({
      tenantId: one.tenantId,
      tenantName: one.tenantName,
      pendingApprovals: one.pendingApprovals,
      highRiskApprovals: one.highRiskApprovals,
      activeAgents: one.activeAgents,
      activitiesInProgress: one.activitiesInProgress,
      activitiesBlocked: one.activitiesBlocked,
      oldestPendingApprovalAgeH: one.oldestPendingOn && hoursBetween(one.oldestPendingOn.getTime(), now),
    })),
    totals: {
      pendingApprovals: sum((one) => one.pendingApprovals),
      highRiskApprovals: sum((one) => one.highRiskApprovals),
      activitiesInProgress: sum((one) => one.activitiesInProgress),
      activitiesBlocked: sum((one) => one.activitiesBlocked),
      agentsInError: sum((one) => one.agentsInError),
    },
  }
}

function hoursBetween(from: number, to: number): number {
  return Math.max(0, Math.round(((to - from) / hourMs) * 10) / 10)
}
