import type { Transaction } from '../../../../kernel/context.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { applyPause } from '../../activities/state.ts'
import type { RunRow } from '../entities.ts'
import { coalesce } from '../queue/coalesce.ts'
import { expectEnd } from '../queue/lease.ts'
import { lockOpenRun } from '../queue/wake.ts'

/**
 * Asks a run that is running to stop: the process that has it hears of it at once, a remote runtime with its heartbeat. One
 * that says nothing for the grace of its agent loses the run.
 */
export async function requestCancel(txn: Transaction, run: RunRow): Promise<void> {
  run.cancelRequested = true
  txn.signal('cancel', run.id)
  await expectEnd(txn, run)
}

/** Ends a run that has not begun: no agent has heard of it. */
export function dropRun(txn: Transaction, run: RunRow, why: string): void {
  run.open = false
  run.status = 'failed'
  run.error = why
  run.completedAt = txn.clock.date()
  run.leaseOwner = null
  run.leaseUntil = null
}

/** Ends what an activity that is closed has under way: a run that waits never begins, one in progress is told to stop. */
export async function stopRun(txn: Transaction, activity: ActivityRow, why: string): Promise<void> {
  const run = await lockOpenRun(txn, activity.id)
  if (run?.status === 'pending') dropRun(txn, run, why)
  else if (run) await requestCancel(txn, run)
}

/** Ends a run that has not begun its turn, since its activity is paused; what it was to hear is kept for the next one. */
export function holdBack(txn: Transaction, activity: ActivityRow, run: RunRow): undefined {
  const own = { reason: run.wakeReason, note: run.wakeNote }
  run.nextWake = run.nextWake ? coalesce(own, run.nextWake) : own
  dropRun(txn, run, 'Paused before it began')
  applyPause(txn, activity)
}
