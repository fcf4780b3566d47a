import type { ActivityRow } from '../activities/entities.ts'
import { takeHold } from '../activities/hold.ts'
import type { Command } from '../context.ts'
import { dropRun } from './cancel.ts'
import { coalesce } from './coalesce.ts'
import type { RunRow } from './entities.ts'

/** Ends a run that has not begun its turn, since its activity is paused; what it was to hear is kept for the next one. */
export function holdBack(cmd: Command, activity: ActivityRow, run: RunRow): undefined {
  const own = { reason: run.wakeReason, note: run.wakeNote }
  run.nextWake = run.nextWake ? coalesce(own, run.nextWake) : own
  dropRun(cmd, run, 'Paused before it began')
  takeHold(cmd, activity)
}
