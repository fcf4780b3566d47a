import { Campaign } from '../campaigns/entities.ts'
import type { OutputRow } from '../content/entities.ts'
import { completeRequest } from '../content/requests/complete.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { adoptStrategy } from '../strategy/strategy.ts'
import { keep, wake } from '../runs/wake.ts'
import { Activity, type ActivityRow, closedStatuses } from './entities.ts'
import { isClosed, isWaiting, lockActivities, lockActivity, moveTo } from './state.ts'

/** Closes an activity as done and moves on what waited for it: later steps of its piece, and the parent of a subtask. */
export async function finish(cmd: Command, activity: ActivityRow, output: OutputRow | null): Promise<void> {
  moveTo(cmd, activity, 'done', 'Done')
  activity.completedAt = cmd.clock.date()
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_completed',
    subject: activity.id,
    data: { activityId: activity.id, status: 'done', outputRef: output?.id ?? null, title: activity.title },
  })
  await cmd.em.flush()
  await adoptStrategy(cmd, activity, output)
  await startDependents(cmd, activity)
  await resumeParent(cmd, activity, output?.text ?? '')
  if (!activity.isFinalStep) return
  await completeRequest(cmd, activity)
  await tellCompleted(cmd, activity)
}

async function startDependents(cmd: Command, done: ActivityRow): Promise<void> {
  const { periodId, piece } = done
  if (!periodId || done.parentActivityId) return
  const later = await cmd.em.find(
    Activity,
    { periodId, piece, status: 'created' },
    { fields: ['id', 'dependsOn'], disableIdentityMap: true },
  )
  const waiting = later.filter(({ dependsOn }) => dependsOn.includes(done.id)).map(({ id }) => id)
  for (const activity of await lockActivities(cmd, waiting)) {
    // Asked under its lock: of two steps that end at the same moment, the second must see that the first has.
    const finished = await cmd.em.count(Activity, { id: { $in: activity.dependsOn }, status: 'done' })
    if (activity.status !== 'created' || finished < activity.dependsOn.length) continue
    await wake(cmd, activity, { reason: 'new_task' })
  }
}

/**
 * Tells the parent of a blocking subtask how it ended. The parent is woken when no other subtask holds it; while it waits
 * for something else the outcome is kept for it.
 */
export async function resumeParent(cmd: Command, subtask: ActivityRow, outcome: string): Promise<void> {
  if (!subtask.parentActivityId || !subtask.blocksParent) return
  const parent = await lockActivity(cmd, subtask.parentActivityId)
  if (isClosed(parent)) return
  const waitsForSubtask = parent.status === 'awaiting_subtask'
  const holds = waitsForSubtask ? (await openSubtasks(cmd, subtask)) > 0 : isWaiting(parent)
  await (holds ? keep : wake)(cmd, parent, {
    reason: 'subtask_completed',
    note: { subtaskOutput: outcome },
  })
}

/** How many other subtasks the same parent waits for. */
async function openSubtasks(cmd: Command, subtask: ActivityRow): Promise<number> {
  return cmd.em.count(Activity, {
    parentActivityId: subtask.parentActivityId,
    blocksParent: true,
    status: { $nin: [...closedStatuses] },
    id: { $ne: subtask.id },
  })
}

async function tellCompleted(cmd: Command, activity: ActivityRow): Promise<void> {
  const campaign = activity.campaignId ? await cmd.em.findOne(Campaign, { id: activity.campaignId }) : null
  await notify(cmd, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'activity_completed',
    title: `Done: ${activity.title}`,
    body: campaign ? `Campaign ${campaign.name}` : 'The piece is finished.',
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
