import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Campaign } from '../campaigns/entities.ts'
import { Run } from '../runs/entities.ts'
import { getDeadLetter } from '../runs/queue/dead-letter-queries.ts'
import { wake } from '../runs/queue/wake.ts'
import { type Blocker, blockerTypes } from './entities.ts'
import { isBlockedByObstacle, isCancelled, lockActivity } from './state.ts'

/**
 * Gives a failed activity another run, and one that is blocked by something other than a pause: anyone who tries it again says
 * that what was in the way is dealt with. Serves `POST …/activities/:activityId/retry`. What a person has cancelled stays so.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is neither, was cancelled, or its campaign is paused or archived
 */
export function retryActivity(ctx: Ctx, activityId: string): Promise<{ activityId: string; runId: string }> {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    if (activity.status !== 'failed' && !isBlockedByObstacle(activity)) {
      throw new DomainError(
        'UNPROCESSABLE',
        `Only a failed or blocked activity can be retried; this one is ${activity.hold ?? activity.status.replaceAll('_', ' ')}`,
      )
    }
    if (isCancelled(activity)) {
      throw new DomainError('UNPROCESSABLE', 'A cancelled activity stays cancelled; create a new one')
    }
    const campaign = activity.campaignId ? await txn.em.findOne(Campaign, { id: activity.campaignId }) : null
    if (campaign?.status === 'paused' || campaign?.status === 'archived') {
      throw new DomainError('UNPROCESSABLE', `The campaign is ${campaign.status}`)
    }
    const before = { status: activity.status, failureReason: activity.failureReason }
    const reason = isReportedByAgent(activity.blocker) ? 'unblocked' : 'retry'
    activity.failures = 0
    activity.idleRuns = 0
    activity.failureReason = null
    await txn.em.nativeUpdate(Run, { activityId, deadLetteredAt: { $ne: null } }, { deadLetteredAt: null })
    const run = await wake(txn, activity, { reason })
    if (!run) throw new DomainError('UNPROCESSABLE', 'A person has this activity; there is no run to retry')
    txn.audit({
      tenantId: activity.tenantId,
      resourceType: 'activity',
      resourceId: activity.id,
      before,
      after: { status: activity.status, runId: run.id },
    })
    return { activityId: activity.id, runId: run.id }
  })
}

/**
 * Tries again what was given up: the activity of a run gets a new one, a job has all its attempts once more.
 * @returns the id of the run or job that waits now
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the same work waits already; for a run see `retryActivity`
 */
export async function retryDeadLetter(
  ctx: Ctx,
  id: string,
): Promise<{ kind: 'run' | 'job'; id: string; name: string }> {
  const { kind, name, activityId, tenantId } = await getDeadLetter(ctx, id)
  if (activityId !== null) return { kind, name, id: (await retryActivity(ctx, activityId)).runId }
  await transact(ctx, async (txn) => {
    if (!(await txn.services.jobs.retry(id, txn.tx)))
      throw new DomainError('CONFLICT', 'It was tried again meanwhile, or the same work waits already')
    txn.audit({ tenantId, resourceType: 'job', resourceId: id, after: { kind: name, status: 'waiting' } })
  })
  ctx.services.jobs.wakeUp()
  return { kind, name, id }
}

function isReportedByAgent(blocker: Blocker | null): boolean {
  return blocker !== null && (blockerTypes as readonly string[]).includes(blocker.type)
}
