import type { Transaction } from '../../../../kernel/context.ts'
import type { ActivityRow, Blocker } from '../../activities/entities.ts'
import { activityBlocked } from '../../activities/events.ts'
import { moveTo } from '../../activities/state.ts'
import type { RunRow } from '../entities.ts'
import { runCompleted, runFailed } from '../events.ts'
import { addEntries } from './transcript.ts'

/** What is sent at the end of every run, whose id is the subject. */
export const endEvents = [runCompleted, runFailed] as const

/**
 * Publishes to those who follow one run that it has ended.
 * @param output the text, where it is kept nowhere else
 */
export function publishEnd(txn: Transaction, run: RunRow, output?: string): void {
  const { id, tenantId, status, attempt, inputTokens, outputTokens, error, errorFamily } = run
  const about = { tenantId, subject: id }
  const data = { runId: id, attempt, status, usage: { inputTokens, outputTokens }, output }
  if (status === 'completed') txn.emit(runCompleted, { ...about, data })
  else txn.emit(runFailed, { ...about, data: { ...data, error: error ?? status, family: errorFamily } })
}

/** Ends a run before a token is spent and blocks its activity; what it was woken for is kept for the run that comes after. */
export function blockUnstarted(txn: Transaction, run: RunRow, activity: ActivityRow, blocker: Blocker): void {
  const { type, description } = blocker
  run.open = false
  run.status = 'failed'
  run.error = description
  addEntries(txn, run, [{ type: 'error', content: description }])
  publishEnd(txn, run)
  run.completedAt = txn.clock.date()
  run.leaseOwner = null
  run.nextWake = { reason: run.wakeReason, note: run.wakeNote }
  activity.blocker = blocker
  moveTo(txn, activity, 'blocked', description)
  txn.emit(activityBlocked, {
    tenantId: activity.tenantId,
    subject: activity.id,
    data: { activityId: activity.id, blockerType: type },
  })
}
