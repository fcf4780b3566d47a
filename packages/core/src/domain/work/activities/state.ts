import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { actorName } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { notify } from '../../people/notifications/notify.ts'
import {
  Activity,
  ActivityLogEntry,
  type ActivityRow,
  type ActivityStatus,
  type Blocker,
  closedStatuses,
} from './entities.ts'
import { activityBlocked } from './events.ts'

/**
 * Loads an activity and locks it until the command ends. An activity is always locked before its runs.
 * @throws DomainError `NOT_FOUND`
 */
export async function lockActivity(txn: Transaction, id: string): Promise<ActivityRow> {
  const activity = await txn.em.findOne(Activity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!activity) throw notFound('activity')
  return activity
}

/** Locks several activities in the order of their ids, so that two commands never wait for each other. */
export async function lockActivities(txn: Transaction, ids: readonly string[]): Promise<ActivityRow[]> {
  if (ids.length === 0) return []
  return txn.em.find(
    Activity,
    { id: { $in: [...ids] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
}

export interface ActivityLogLine {
  /** For example `status`, `run`, `verdict`, `comment`, `blocker`. */
  kind: string
  message: string
  runId?: string
  data?: Record<string, unknown>
}

/** Adds one line to what people can read about an activity's life, in the transaction of what happened. */
export function logActivity(
  txn: Transaction,
  activity: { id: string; tenantId: string },
  line: ActivityLogLine,
): void {
  txn.insert(ActivityLogEntry, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    at: txn.clock.date(),
    kind: line.kind,
    actor: actorName(txn),
    message: line.message,
    runId: line.runId ?? null,
    data: line.data ?? null,
  })
}

/** Changes the status, with its time and a line in the log; a status that is reached already stays as it is. */
export function moveTo(txn: Transaction, activity: ActivityRow, status: ActivityStatus, why: string): void {
  const now = txn.clock.date()
  if (activity.status !== status) {
    logActivity(txn, activity, { kind: 'status', message: why, data: { from: activity.status, to: status } })
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

/**
 * Lets a pause take hold once no turn is under way. What waits for an answer goes on waiting, and stands still when the
 * answer has come; what has ended is past pausing.
 */
export function applyPause(txn: Transaction, activity: ActivityRow): void {
  if (activity.hold === null) return
  activity.hold = isClosed(activity) ? null : 'paused'
  if (activity.status === 'in_progress') moveTo(txn, activity, 'blocked', 'Paused after its turn')
}

/** As `applyPause`, for an activity whose wait is over: it gets no run until a person resumes it. */
export function pauseNow(txn: Transaction, activity: ActivityRow): void {
  activity.hold = 'paused'
  activity.blocker = null
  moveTo(txn, activity, 'blocked', 'Paused: it goes on when a person resumes it')
}

/** Stops an activity until a person has dealt with what is in the way, and tells the admins. The caller holds its lock. */
export async function block(
  txn: Transaction,
  activity: ActivityRow,
  blocker: Blocker,
  runId?: string,
): Promise<void> {
  const { type, description } = blocker
  activity.blocker = blocker
  moveTo(txn, activity, 'blocked', `Blocked: ${description}`)
  logActivity(txn, activity, {
    kind: 'blocker',
    message: description,
    ...(runId !== undefined && { runId }),
    data: { blockerType: type },
  })
  txn.emit(activityBlocked, {
    tenantId: activity.tenantId,
    subject: activity.id,
    data: { activityId: activity.id, blockerType: type },
  })
  await notify(txn, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `Blocked: ${activity.title}`,
    body: description,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
