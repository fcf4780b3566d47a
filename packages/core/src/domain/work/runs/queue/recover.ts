import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { applyPause, lockActivity } from '../../activities/state.ts'
import { Run, type RunRow } from '../entities.ts'
import { holdBack } from '../lifecycle/cancel.ts'
import { type Failure, fail, markFailed, noteFailure } from '../lifecycle/failure.ts'
import { addEntries, saveRemoteText } from '../lifecycle/transcript.ts'
import type { LostRun } from './claim-queries.ts'
import { waitForRuntime } from './lease.ts'

/** How often a run may lose its process before it counts as the run’s own fault: often enough for a bad day, not for ever. */
export const maxAttempts = 20

/**
 * Takes a run back whose lease has ended. A run of a process that died waits again, under a new attempt that fences the old
 * one off. One that may have reached an external runtime goes on there with the attempt that was sent; when nothing is heard of
 * it for a while it is given out again, and the old attempt is good until a runtime has the new one. One that its runtime did
 * not answer in time ends: as `timeout`, or as stopped when it was to stop.
 */
export async function takeBack(ctx: Ctx, lost: LostRun): Promise<void> {
  const isOver = await transact(ctx, async (txn) => {
    const known = await txn.em.findOne(Run, { id: lost.id })
    if (!known) return false
    const activity = known.purpose === 'work' ? await lockActivity(txn, known.activityId) : null
    const run = await txn.em.findOneOrFail(
      Run,
      { id: lost.id },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    )
    const unchanged =
      run.open && run.status === 'running' && run.attempt === lost.attempt && run.leaseOwner === lost.owner
    if (!unchanged) return false
    const now = txn.clock.date()
    // Its runtime has spoken meanwhile.
    if (lost.owner === null && run.leaseUntil !== null && run.leaseUntil > now) return false
    if (activity && isUnheard(run, now)) return giveOutAgain(txn, run, activity)
    await saveRemoteText(txn, run)
    if (activity && lost.owner !== null && run.attempt < maxAttempts) {
      startAnew(txn, run, activity)
      return true
    }
    run.open = false
    run.completedAt = now
    run.leaseOwner = null
    const failure = lost.owner === null ? silence(run, now) : death(activity !== null)
    if (activity) {
      await fail(txn, run, activity, failure)
      applyPause(txn, activity)
    } else markFailed(txn, run, failure)
    return true
  })
  if (!isOver) return
  const { sequencer, deltas } = ctx.services
  sequencer.release(lost.id, lost.attempt)
  await deltas.flush()
  deltas.close({ runId: lost.id, attempt: lost.attempt })
}

/** True when it was dispatched to an external runtime of which no one knows whether it has it, and which has time left. */
function isUnheard({ adapter, handedOverAt, deadline, cancelRequested }: RunRow, now: Date): boolean {
  const isSent = adapter === 'adapter_b' && handedOverAt === null && !cancelRequested
  return isSent && deadline !== null && deadline > now
}

/** @returns false: what its runtime may still say is taken */
function giveOutAgain(txn: Transaction, run: RunRow, activity: ActivityRow): false {
  if (run.leaseOwner !== null) {
    addEntries(txn, run, [
      {
        type: 'system',
        content: `The server stopped while it gave attempt ${run.attempt} to the runtime. It waits for what the runtime says.`,
      },
    ])
    waitForRuntime(txn, run)
    // No new attempt begins while it is paused, nor without an end.
  } else if (activity.hold !== null || run.attempt >= maxAttempts) run.leaseUntil = run.deadline
  else {
    const unheard = 'The server stopped while it gave the run to the runtime, which has said nothing since'
    noteFailure(txn, run, unheard, 'transient')
    waitAgain(txn, run)
  }
  return false
}

function startAnew(txn: Transaction, run: RunRow, activity: ActivityRow): void {
  addEntries(txn, run, [
    { type: 'system', content: `Attempt ${run.attempt} has lost its process. The run starts again.` },
  ])
  noteFailure(txn, run, 'The process that ran it died', 'transient')
  if (activity.hold !== null) return holdBack(txn, activity, run)
  run.fence = run.attempt
  waitAgain(txn, run)
}

/** Lets a run wait for another attempt. The caller says whether the one before is fenced off. */
export function waitAgain(txn: Transaction, run: RunRow): void {
  run.status = 'pending'
  run.leaseOwner = null
  run.leaseUntil = null
  txn.signal('runs')
}

function silence({ cancelRequested, deadline }: RunRow, now: Date): Failure {
  if (cancelRequested)
    return { error: 'It was to stop, and its runtime has said nothing since', family: 'invalid' }
  if (deadline !== null && deadline > now) {
    const error = 'Its question was answered, and its runtime has said nothing since'
    return { error, family: 'transient', timedOut: true, answered: true }
  }
  return { error: 'The runtime did not answer in time', family: 'transient', timedOut: true }
}

function death(isWork: boolean): Failure {
  return isWork
    ? { error: `The process that ran it died ${maxAttempts} times`, family: 'internal' }
    : { error: 'The process that ran it died', family: 'transient' }
}
