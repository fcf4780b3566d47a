import { Campaign } from '../campaigns/entities.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { Run } from '../runs/entities.ts'
import { wake } from '../runs/wake.ts'
import { blockerTypes, type Blocker } from './entities.ts'
import { isBlockedByObstacle, isCancelled, lockActivity } from './state.ts'

/**
 * Gives a failed activity another run, and one that is blocked by something other than a pause: whoever tries it again says
 * that what was in the way is dealt with. Serves `POST …/activities/:activityId/retry`. What a person has cancelled stays so.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is neither, was cancelled, or its campaign is paused or archived
 */
export function retryActivity(ctx: Ctx, activityId: string): Promise<{ activityId: string; runId: string }> {
  return command(ctx, async (cmd) => {
    const activity = await lockActivity(cmd, activityId)
    if (activity.status !== 'failed' && !isBlockedByObstacle(activity)) {
      throw new DomainError(
        'UNPROCESSABLE',
        `Only a failed or blocked activity can be retried; this one is ${activity.hold ?? activity.status.replaceAll('_', ' ')}`,
      )
    }
    if (isCancelled(activity)) {
      throw new DomainError('UNPROCESSABLE', 'A cancelled activity stays cancelled; create a new one')
    }
    const campaign = activity.campaignId ? await cmd.em.findOne(Campaign, { id: activity.campaignId }) : null
    if (campaign?.status === 'paused' || campaign?.status === 'archived') {
      throw new DomainError('UNPROCESSABLE', `The campaign is ${campaign.status}`)
    }
    const before = { status: activity.status, failureReason: activity.failureReason }
    const reason = isReportedByAgent(activity.blocker) ? 'unblocked' : 'retry'
    activity.failures = 0
    activity.idleRuns = 0
    activity.failureReason = null
    await cmd.em.nativeUpdate(Run, { activityId, deadLetteredAt: { $ne: null } }, { deadLetteredAt: null })
    const run = await wake(cmd, activity, { reason })
    if (!run) throw new DomainError('UNPROCESSABLE', 'A person has this activity; there is no run to retry')
    cmd.audit({
      tenantId: activity.tenantId,
      resourceType: 'activity',
      resourceId: activity.id,
      before,
      after: { status: activity.status, runId: run.id },
    })
    return { activityId: activity.id, runId: run.id }
  })
}

function isReportedByAgent(blocker: Blocker | null): boolean {
  return blocker !== null && (blockerTypes as readonly string[]).includes(blocker.type)
}
