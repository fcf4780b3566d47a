import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** So much less than the process: a tenth of what it gets, while both want the processor. */
const steps = 10
const least = 19

/**
 * Lets this thread work with what the thread that answers requests leaves of the processors. On Linux each thread has a
 * priority of its own; elsewhere, and where the system does not allow it, nothing changes.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, Math.min(getPriority() + steps, least))
  } catch {
    // The thread works at the priority of the others.
  }
}
