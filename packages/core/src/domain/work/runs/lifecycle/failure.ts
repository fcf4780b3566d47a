import type { Transaction } from '../../../../kernel/context.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { reportAgentError } from '../../../agents/configuration/status.ts'
import type { FailureFamily } from '../../../agents/models/entities.ts'
import { notify } from '../../../people/notifications/notify.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { activityFailed } from '../../activities/events.ts'
import { resumeParent } from '../../activities/finish.ts'
import { isClosed, isWaiting, logActivity, moveTo } from '../../activities/state.ts'
import type { RunRow } from '../entities.ts'
import { mergeNotes } from '../queue/coalesce.ts'
import { wake, wakeAgain } from '../queue/wake.ts'
import { publishEnd } from './end.ts'
import { addEntries } from './transcript.ts'

export interface Failure {
  error: string
  family?: FailureFamily
  /** The earliest retry, as the provider says; milliseconds from now. */
  retryAfterMs?: number
  timedOut?: boolean
  /** What it had asked was answered, so that the next run goes on with the answer. */
  answered?: boolean
}

/** How often an activity may fail in a row, by family, before it is given to people. */
const triesByFamily: Partial<Record<FailureFamily, number>> = { transient: 4, quota: 8 }

/** The longest wait before a retry that a provider or a runtime may ask for: a day. */
export const longestWaitMs = 86_400_000

/** Waiting time before the next try: 2 s, doubled each time, 5 minutes at the most. */
export function backoffMs(failures: number): number {
  return Math.min(2_000 * 2 ** (failures - 1), 300_000)
}

/**
 * Ends a run as failed and decides what follows: `transient` and `quota` are tried again after a while, everything else
 * and the last try fail the activity, and people are told.
 */
export async function fail(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  failure: Failure,
): Promise<void> {
  const family = failure.family ?? 'internal'
  markFailed(txn, run, failure)
  noteFailure(txn, run, failure.error, family)
  logActivity(txn, activity, {
    kind: 'run',
    runId: run.id,
    message: `Failed: ${run.error}`,
    data: { family },
  })
  if (isClosed(activity) || isWaiting(activity)) return
  // An answer that came meanwhile is the agent's to act on, as it is when a run fails before its answer comes.
  const note = mergeNotes(run.wakeNote, run.nextWake?.note)
  if (run.nextWake && (failure.answered || run.nextWake.reason !== 'mention')) {
    activity.idleRuns += 1
    run.nextWake = { reason: run.nextWake.reason, note }
    return await wakeAgain(txn, activity, run)
  }
  activity.failures += 1
  await txn.em.flush()
  const isLast = activity.failures >= (triesByFamily[family] ?? 1)
  // What is paused goes on when a person says so: the failure counts, and none is the last one meanwhile.
  const isPaused = activity.hold !== null
  if (isLast && isPaused) await keepError(txn, run, activity, family)
  if (!isLast || isPaused) {
    const asked = Math.min(failure.retryAfterMs ?? 0, longestWaitMs)
    const delay = Math.max(asked, backoffMs(activity.failures))
    const next = await wake(txn, activity, { reason: 'retry', note }, new Date(txn.clock.now() + delay))
    if (next) next.failures = run.failures
    return
  }
  await giveUp(txn, run, activity, family)
}

/** Writes a failure down at its run and tells that the run has ended. */
export function markFailed(txn: Transaction, run: RunRow, failure: Failure): void {
  run.status = failure.timedOut ? 'timeout' : 'failed'
  run.error = failure.error.slice(0, 10_000)
  run.errorFamily = failure.family ?? 'internal'
  addEntries(txn, run, [{ type: 'error', content: run.error, metadata: { family: run.errorFamily } }])
  publishEnd(txn, run)
}

/** Adds to the history of what went wrong, which goes with the work from try to try. */
export function noteFailure(txn: Transaction, run: RunRow, error: string, family: FailureFamily): void {
  const failure = { attempt: run.attempt, at: txn.clock.date().toISOString(), error, family }
  run.failures = [...(run.failures ?? []), failure]
}

/** Keeps what went wrong on an activity that would have failed, were it not paused. */
async function keepError(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  activity.failureReason = run.error
  await reportAgent(txn, run, activity, family)
}

/** What the agent is set up with is at fault, and not the work. */
async function reportAgent(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  if (family === 'auth' || family === 'internal')
    await reportAgentError(txn, activity.tenantId, run.agentRole, run.error ?? '', activity.id)
}

async function giveUp(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  run.deadLetteredAt = txn.clock.date()
  activity.failureReason = run.error
  activity.hold = null
  moveTo(txn, activity, 'failed', `Failed (${family}): ${run.error}`)
  await resumeParent(txn, activity, `The subtask failed: ${run.error}`)
  const agent = await effectiveAgent(txn, activity.tenantId, run.agentRole)
  await reportAgent(txn, run, activity, family)
  txn.emit(activityFailed, {
    tenantId: activity.tenantId,
    subject: activity.id,
    data: {
      activityId: activity.id,
      title: activity.title,
      agentRole: run.agentRole,
      error: run.error,
      family,
    },
  })
  await notify(txn, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `Failed: ${activity.title}`,
    body: `${agent?.name ?? run.agentRole}: ${run.error}`,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
