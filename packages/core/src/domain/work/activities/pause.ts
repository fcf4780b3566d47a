import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Run } from '../runs/entities.ts'
import { holdBack } from '../runs/lifecycle/cancel.ts'
import { lockOpenRun, saveWake, wake } from '../runs/queue/wake.ts'
import type { ActivityRow } from './entities.ts'
import { asksPeople, isClosed, lockActivity, logActivity } from './state.ts'

/**
 * Pauses an activity in progress: its turn ends as it would, and no other begins until someone resumes it. Serves
 * `POST /dm/v1/activities/:activityId/pause`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is not in progress, or paused already
 */
export function pauseActivity(
  ctx: Ctx,
  activityId: string,
  { reason }: { reason?: string | undefined } = {},
) {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    if (activity.status !== 'in_progress' || activity.hold !== null) {
      throw new DomainError(
        'UNPROCESSABLE',
        `Only work in progress can be paused; this is ${activity.hold ?? activity.status.replaceAll('_', ' ')}`,
      )
    }
    activity.hold = 'pausing'
    activity.updatedOn = txn.clock.date()
    logActivity(txn, activity, { kind: 'hold', message: sentence('Paused', reason) })
    const run = await lockOpenRun(txn, activityId)
    // Its turn was lost with a process and has not begun again: there is no end to wait for.
    if (run?.status === 'pending') holdBack(txn, activity, run)
    record(txn, activity, { hold: null }, reason)
    return { activityId, status: 'pausing' as const }
  })
}

/**
 * Lets a paused activity go on. One whose turn still runs was never stopped; one that waits for an answer goes on when it
 * comes; any other gets a run, which hears everything that was said meanwhile and the note. An error of the turn that was the
 * last before the pause counts as a failure of the activity. Serves
 * `POST /dm/v1/activities/:activityId/resume`.
 * @returns the run that it goes on with; for one that waits for an answer, the run that has asked
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is not paused
 */
export function resumeActivity(ctx: Ctx, activityId: string, { note }: { note?: string | undefined } = {}) {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    const { hold } = activity
    if (hold === null || isClosed(activity))
      throw new DomainError('UNPROCESSABLE', 'Only a paused activity can be resumed')
    activity.hold = null
    activity.failureReason = null
    activity.updatedOn = txn.clock.date()
    logActivity(txn, activity, { kind: 'hold', message: sentence('Resumed', note) })
    const runId = await goOn(txn, activity, note)
    record(txn, activity, { hold }, note)
    return { activityId, runId }
  })
}

async function goOn(txn: Transaction, activity: ActivityRow, note: string | undefined): Promise<string> {
  const { id: activityId } = activity
  const last = await txn.em.findOneOrFail(Run, { activityId }, { orderBy: { id: 'desc' } })
  const reason = 'unblocked' as const
  const waits = asksPeople(activity) || activity.status === 'awaiting_subtask'
  if (last.open || waits) {
    if (note) await saveWake(txn, activity, { reason, note: { comment: note } })
    return last.id
  }
  // A wait that a provider asked for outlives the pause.
  const run = await wake(txn, activity, { reason, ...(note && { note: { comment: note } }) }, last.notBefore)
  if (!run)
    throw new DomainError('UNPROCESSABLE', 'No agent has this activity; there is no run to go on with')
  if (activity.failures > 0) run.failures = last.failures
  return run.id
}

function sentence(what: string, words: string | undefined): string {
  return words ? `${what}: ${words}` : what
}

function record(txn: Transaction, activity: ActivityRow, before: object, words: string | undefined): void {
  const { tenantId, id, status, hold } = activity
  const after = { status, hold, ...(words !== undefined && { words }) }
  txn.audit({ tenantId, resourceType: 'activity', resourceId: id, before, after })
}
