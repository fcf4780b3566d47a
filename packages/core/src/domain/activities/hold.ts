import type { Command } from '../context.ts'
import type { ActivityRow } from './entities.ts'
import { isClosed, moveTo } from './state.ts'

/**
 * Lets a pause take hold once no turn is under way. What waits for an answer goes on waiting, and stands still when the
 * answer has come; what has ended is past pausing.
 */
export function takeHold(cmd: Command, activity: ActivityRow): void {
  if (activity.hold === null) return
  activity.hold = isClosed(activity) ? null : 'paused'
  if (activity.status === 'in_progress') moveTo(cmd, activity, 'blocked', 'Paused after its turn')
}

/** As `takeHold`, for an activity whose wait is over: it gets no run until a person resumes it. */
export function standStill(cmd: Command, activity: ActivityRow): void {
  activity.hold = 'paused'
  activity.blocker = null
  moveTo(cmd, activity, 'blocked', 'Paused: it goes on when a person resumes it')
}
