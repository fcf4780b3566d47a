import type { ActivityRow } from '../activities/entities.ts'
import { block } from '../activities/block.ts'
import type { Command } from '../context.ts'

/** Runs in a row that may bring nothing new before the next one has to wait. */
const patience = 3

/** Runs in a row that bring nothing new before a person has to look. */
const mostIdleRuns = 8

const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/**
 * How long an activity rests before its next run, milliseconds: nothing at first, then a minute, doubled with each further
 * run without a new text, an hour at the most.
 */
export function pauseMs(idleRuns: number): number {
  return idleRuns < patience ? 0 : Math.min(firstPauseMs * 2 ** (idleRuns - patience), longestPauseMs)
}

/** True when an activity was woken so often in vain that only a person can help. */
export function isGoingRound(activity: ActivityRow): boolean {
  return activity.idleRuns >= mostIdleRuns
}

/** Stops an activity that goes round in circles, and tells people. */
export function stopGoingRound(cmd: Command, activity: ActivityRow): Promise<void> {
  return block(cmd, activity, {
    type: 'no_progress',
    description: `${activity.idleRuns} runs in a row have brought nothing new.`,
    resolution: 'Say in an intervention note what is to be done, or try the activity again.',
  })
}
