import { Campaign } from '../campaigns/entities.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { wake } from '../runs/wake.ts'
import { lockActivity } from './state.ts'

/**
 * Gives a failed activity another run. Serves `POST …/activities/:activityId/retry`. What a person has cancelled stays so.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is not failed, was cancelled, or its campaign is paused or archived
 */
export function retryActivity(ctx: Ctx, activityId: string): Promise<{ activityId: string; runId: string }> {
  return command(ctx, async (cmd) => {
    const activity = await lockActivity(cmd, activityId)
    const stoppedByClock =
      activity.status === 'blocked' && ['budget', 'approval_expired'].includes(activity.blocker?.type ?? '')
    if (activity.status !== 'failed' && !stoppedByClock) {
      throw new DomainError(
        'UNPROCESSABLE',
        `Only a failed activity can be retried; this one is ${activity.status.replaceAll('_', ' ')}`,
      )
    }
    if (activity.failureReason === 'cancelled_by_reviewer') {
      throw new DomainError('UNPROCESSABLE', 'A cancelled activity stays cancelled; create a new one')
    }
    const campaign = activity.campaignId ? await cmd.em.findOne(Campaign, { id: activity.campaignId }) : null
    if (campaign?.status === 'paused' || campaign?.status === 'archived') {
      throw new DomainError('UNPROCESSABLE', `The campaign is ${campaign.status}`)
    }
    const before = { status: activity.status, failureReason: activity.failureReason }
    activity.failures = 0
    activity.failureReason = null
    const run = await wake(cmd, activity, { reason: 'retry' })
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
