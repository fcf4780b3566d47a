import type { Command } from '../context.ts'
import type { RunRow } from './entities.ts'

/** Asks a run that is at work to stop: the process that has it hears of it at once, a remote runtime with its heartbeat. */
export function requestCancel(cmd: Command, run: RunRow): void {
  run.cancelRequested = true
  cmd.signal('cancel', run.id)
}
