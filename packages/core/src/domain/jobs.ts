import type { JobHandler } from '../platform/jobs/jobs.ts'
import { approvalClock } from './approvals/clock.ts'
import { planCampaign } from './campaigns/planner.ts'
import type { Ctx } from './context.ts'

/** What is done later, by the kind of its job. Every handler may be called twice for one job and must not mind. */
export function jobHandlers(system: () => Ctx): Record<string, JobHandler> {
  const handler =
    (work: (ctx: Ctx, payload: Record<string, unknown>) => Promise<void>): JobHandler =>
    ({ payload }) =>
      work(system(), payload)
  return {
    'approval.clock': handler(approvalClock),
    'campaign.plan': handler(planCampaign),
  }
}
