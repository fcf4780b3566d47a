import type { ActivityRow, Blocker } from '../activities/entities.ts'
import { moveTo } from '../activities/state.ts'
import type { Command } from '../context.ts'
import { tellEnd } from './ended.ts'
import type { RunRow } from './entities.ts'
import { addEntries } from './transcript.ts'

/** Ends a run before a token is spent and blocks its activity; what it was woken for is kept for the run that comes after. */
export function blockUnstarted(cmd: Command, run: RunRow, activity: ActivityRow, blocker: Blocker): void {
  const { type, description } = blocker
  run.open = false
  run.status = 'failed'
  run.error = description
  addEntries(cmd, run, [{ type: 'error', content: description }])
  tellEnd(cmd, run)
  run.completedAt = cmd.clock.date()
  run.leaseOwner = null
  run.nextWake = { reason: run.wakeReason, note: run.wakeNote }
  activity.blocker = blocker
  moveTo(cmd, activity, 'blocked', description)
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_blocked',
    subject: activity.id,
    data: { activityId: activity.id, blockerType: type },
  })
}
