import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import type { ActivityRow, Blocker } from './entities.ts'
import { logActivity } from './log.ts'
import { moveTo } from './state.ts'

/** Stops an activity until a person has dealt with what is in the way, and tells the admins. The caller holds its lock. */
export async function block(
  cmd: Command,
  activity: ActivityRow,
  blocker: Blocker,
  runId?: string,
): Promise<void> {
  const { type, description } = blocker
  activity.blocker = blocker
  moveTo(cmd, activity, 'blocked', `Blocked: ${description}`)
  logActivity(cmd, activity, {
    kind: 'blocker',
    message: description,
    ...(runId !== undefined && { runId }),
    data: { blockerType: type },
  })
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_blocked',
    subject: activity.id,
    data: { activityId: activity.id, blockerType: type },
  })
  await notify(cmd, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `Blocked: ${activity.title}`,
    body: description,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
