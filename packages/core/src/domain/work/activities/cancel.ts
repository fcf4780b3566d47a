import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { notify } from '../../people/notifications/notify.ts'
import { withdraw } from '../approvals/withdraw.ts'
import { stopRun } from '../runs/lifecycle/cancel.ts'
import { Activity, type ActivityRow, closedStatuses } from './entities.ts'
import { activityFailed } from './events.ts'
import { resumeParent } from './finish.ts'
import { cancelledByPerson, isClosed, lockActivities, lockActivity, logActivity, moveTo } from './state.ts'

/**
 * Ends an activity for good: an agent in progress is told to stop, questions about it are taken back, and what could only come
 * after it ends with it: its subtasks and the later steps of its piece. A parent that waits for it goes on without it. Serves
 * `POST /dm/v1/activities/:activityId/cancel`.
 * @returns also the ids of what ended with it
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is closed already
 */
export function cancelActivity(ctx: Ctx, activityId: string, { reason }: { reason: string }) {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    if (isClosed(activity))
      throw new DomainError('UNPROCESSABLE', `The activity is already ${activity.status}`)
    const before = { status: activity.status, hold: activity.hold }
    const alsoCancelled = await endForGood(txn, [activity], { act: 'Cancelled', reason })
    txn.audit({
      tenantId: activity.tenantId,
      resourceType: 'activity',
      resourceId: activityId,
      before,
      after: { status: activity.status, failureReason: activity.failureReason, reason, alsoCancelled },
    })
    await notify(txn, {
      tenantId: activity.tenantId,
      to: 'admins',
      type: 'activity_failed',
      title: `Cancelled: ${activity.title}`,
      body: reason,
      subjectKind: 'activities',
      subjectId: activityId,
    })
    return { activityId, status: 'failed' as const, alsoCancelled }
  })
}

/**
 * Ends open activities as `failed` for good, with everything that could only come after them; none of them gets another run.
 * The caller has locked them.
 * @param why what a person did, and their words for it
 * @returns ids of what ended with them
 */
export async function endForGood(
  txn: Transaction,
  activities: readonly ActivityRow[],
  { act, reason }: { act: 'Cancelled' | 'Rejected for good'; reason: string },
): Promise<string[]> {
  const followers = await whatFollows(txn, activities)
  for (const one of activities) await close(txn, one, `${act}: ${reason}`)
  const titles = activities.map(({ title }) => `“${title}”`).join(', ')
  for (const one of followers) await close(txn, one, `${act} with ${titles}: ${reason}`)
  await withdraw(txn, [...activities, ...followers], `The work was cancelled: ${reason}`)
  for (const one of activities) await resumeParent(txn, one, `The subtask was cancelled: ${reason}`)
  return followers.map(({ id }) => id)
}

/** Everything open that nothing would ever move once these are gone, locked: subtasks, later steps, and what follows from those. */
async function whatFollows(txn: Transaction, first: readonly ActivityRow[]): Promise<ActivityRow[]> {
  const found = new Map(first.map((one) => [one.id, one]))
  for (const one of found.values()) {
    const next = [...(await subtasksOf(txn, one)), ...(await stepsAfter(txn, one))]
    const locked = await lockActivities(
      txn,
      next.filter((id) => !found.has(id)),
    )
    for (const activity of locked) if (!isClosed(activity)) found.set(activity.id, activity)
  }
  for (const { id } of first) found.delete(id)
  return [...found.values()]
}

/** Only ids: what they are is read under their locks. */
const unread = { fields: ['id', 'dependsOn'], disableIdentityMap: true } as const

async function subtasksOf(txn: Transaction, { id }: ActivityRow): Promise<string[]> {
  const open = { parentActivityId: id, status: { $nin: [...closedStatuses] } }
  return (await txn.em.find(Activity, open, unread)).map((row) => row.id)
}

async function stepsAfter(txn: Transaction, { id, periodId, piece }: ActivityRow): Promise<string[]> {
  if (!periodId) return []
  const waiting = await txn.em.find(Activity, { periodId, piece, status: 'created' }, unread)
  return waiting.filter(({ dependsOn }) => dependsOn.includes(id)).map((row) => row.id)
}

async function close(txn: Transaction, activity: ActivityRow, why: string): Promise<void> {
  activity.hold = null
  activity.blocker = null
  activity.failureReason = cancelledByPerson
  moveTo(txn, activity, 'failed', why)
  await stopRun(txn, activity, 'Cancelled before it started')
  logActivity(txn, activity, { kind: 'cancelled', message: why })
  const { tenantId, id: activityId, title, agentRole } = activity
  txn.emit(activityFailed, {
    tenantId,
    subject: activityId,
    data: { activityId, title, agentRole, error: cancelledByPerson, family: null },
  })
}
