import { LockMode } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { notFound } from '../errors.ts'
import { type ActivityRow, Activity, type ActivityStatus, closedStatuses } from './entities.ts'
import { logActivity } from './log.ts'

/**
 * Loads an activity and locks it until the command ends. An activity is always locked before its runs.
 * @throws DomainError `NOT_FOUND`
 */
export async function lockActivity(cmd: Command, id: string): Promise<ActivityRow> {
  const activity = await cmd.em.findOne(Activity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!activity) throw notFound('activity')
  return activity
}

/** Locks several activities in the order of their ids, so that two commands never wait for each other. */
export async function lockActivities(cmd: Command, ids: readonly string[]): Promise<ActivityRow[]> {
  if (ids.length === 0) return []
  return cmd.em.find(
    Activity,
    { id: { $in: [...ids] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
}

/** Changes the status, with its time and a line in the log; a status that is reached already stays as it is. */
export function moveTo(cmd: Command, activity: ActivityRow, status: ActivityStatus, why: string): void {
  const now = cmd.clock.date()
  if (activity.status !== status) {
    logActivity(cmd, activity, { kind: 'status', message: why, data: { from: activity.status, to: status } })
    activity.status = status
    activity.statusSince = now
  }
  activity.updatedOn = now
}

/** True when nothing moves the activity on any more. */
export function isClosed(activity: { status: ActivityStatus }): boolean {
  return (closedStatuses as readonly ActivityStatus[]).includes(activity.status)
}

/** Why what a person has cancelled has failed; nothing tries it again. */
export const cancelledByPerson = 'cancelled_by_reviewer'

/** True when a person has cancelled it. */
export function isCancelled({ failureReason }: { failureReason: string | null }): boolean {
  return failureReason === cancelledByPerson
}

/** True while the activity waits for people to answer it. */
export function asksPeople({ status }: { status: ActivityStatus }): boolean {
  return status === 'awaiting_approval' || status === 'awaiting_review'
}

/** True while something is in the way that a person has to deal with; a pause is none. */
export function isBlockedByObstacle({ status, hold }: Pick<ActivityRow, 'status' | 'hold'>): boolean {
  return status === 'blocked' && hold === null
}

/** True while the activity needs an answer, a subtask or a person's help to go on. */
export function isWaiting({ status }: { status: ActivityStatus }): boolean {
  return status === 'blocked' || status.startsWith('awaiting_')
}
