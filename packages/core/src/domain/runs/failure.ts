import { effectiveAgent } from '../agents/effective-queries.ts'
import { reportAgentError } from '../agents/config.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { resumeParent } from '../activities/finish.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, isWaiting, moveTo } from '../activities/state.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { mergeNotes } from './coalesce.ts'
import { tellEnd } from './ended.ts'
import type { FailureFamily, RunRow } from './entities.ts'
import { addEntries } from './transcript.ts'
import { wake, wakeAgain } from './wake.ts'

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
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  failure: Failure,
): Promise<void> {
  const family = failure.family ?? 'internal'
  markFailed(cmd, run, failure)
  noteFailure(cmd, run, failure.error, family)
  logActivity(cmd, activity, {
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
    return await wakeAgain(cmd, activity, run)
  }
  activity.failures += 1
  await cmd.em.flush()
  const isLast = activity.failures >= (triesByFamily[family] ?? 1)
  // What is paused goes on when a person says so: the failure counts, and none is the last one meanwhile.
  const isPaused = activity.hold !== null
  if (isLast && isPaused) await keepError(cmd, run, activity, family)
  if (!isLast || isPaused) {
    const asked = Math.min(failure.retryAfterMs ?? 0, longestWaitMs)
    const delay = Math.max(asked, backoffMs(activity.failures))
    const next = await wake(cmd, activity, { reason: 'retry', note }, new Date(cmd.clock.now() + delay))
    if (next) next.failures = run.failures
    return
  }
  await giveUp(cmd, run, activity, family)
}

/** Writes a failure down at its run and tells that the run has ended. */
export function markFailed(cmd: Command, run: RunRow, failure: Failure): void {
  run.status = failure.timedOut ? 'timeout' : 'failed'
  run.error = failure.error.slice(0, 10_000)
  run.errorFamily = failure.family ?? 'internal'
  addEntries(cmd, run, [{ type: 'error', content: run.error, metadata: { family: run.errorFamily } }])
  tellEnd(cmd, run)
}

/** Adds to the history of what went wrong, which goes with the work from try to try. */
export function noteFailure(cmd: Command, run: RunRow, error: string, family: FailureFamily): void {
  const failure = { attempt: run.attempt, at: cmd.clock.date().toISOString(), error, family }
  run.failures = [...(run.failures ?? []), failure]
}

/** Keeps what went wrong on an activity that would have failed, were it not paused. */
async function keepError(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  activity.failureReason = run.error
  await reportAgent(cmd, run, activity, family)
}

/** What the agent is set up with is at fault, and not the work. */
async function reportAgent(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  if (family === 'auth' || family === 'internal')
    await reportAgentError(cmd, activity.tenantId, run.agentRole, run.error ?? '', activity.id)
}

async function giveUp(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  family: FailureFamily,
): Promise<void> {
  run.deadLetteredAt = cmd.clock.date()
  activity.failureReason = run.error
  activity.hold = null
  moveTo(cmd, activity, 'failed', `Failed (${family}): ${run.error}`)
  await resumeParent(cmd, activity, `The subtask failed: ${run.error}`)
  const agent = await effectiveAgent(cmd, activity.tenantId, run.agentRole)
  await reportAgent(cmd, run, activity, family)
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_failed',
    subject: activity.id,
    data: {
      activityId: activity.id,
      title: activity.title,
      agentRole: run.agentRole,
      error: run.error,
      family,
    },
  })
  await notify(cmd, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `Failed: ${activity.title}`,
    body: `${agent?.name ?? run.agentRole}: ${run.error}`,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
