import type { ActivityRow } from '../activities/entities.ts'
import type { Command } from '../context.ts'
import type { RunRow } from './entities.ts'
import { expectEnd } from './lease.ts'
import { lockOpenRun } from './wake.ts'

/**
 * Asks a run that is at work to stop: the process that has it hears of it at once, a remote runtime with its heartbeat. One
 * that says nothing for the grace of its agent loses the run.
 */
export async function requestCancel(cmd: Command, run: RunRow): Promise<void> {
  run.cancelRequested = true
  cmd.signal('cancel', run.id)
  await expectEnd(cmd, run)
}

/** Ends a run that has not begun: no agent has heard of it. */
export function dropRun(cmd: Command, run: RunRow, why: string): void {
  run.open = false
  run.status = 'failed'
  run.error = why
  run.completedAt = cmd.clock.date()
  run.leaseOwner = null
  run.leaseUntil = null
}

/** Ends what an activity that is closed has under way: a run that waits never begins, one at work is told to stop. */
export async function stopRun(cmd: Command, activity: ActivityRow, why: string): Promise<void> {
  const run = await lockOpenRun(cmd, activity.id)
  if (run?.status === 'pending') dropRun(cmd, run, why)
  else if (run) await requestCancel(cmd, run)
}
