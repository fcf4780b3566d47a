import { Campaign } from '../campaigns/entities.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { wake } from '../runs/wake.ts'
import { Activity, type ActivityRow } from './entities.ts'
import { lockActivities, lockActivity, moveTo } from './state.ts'

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
  await startDependents(cmd, activity)
  await resumeParent(cmd, activity, output?.text ?? '')
  if (activity.isFinalStep) await tellCompleted(cmd, activity)
}

async function startDependents(cmd: Command, done: ActivityRow): Promise<void> {
  if (!done.periodId || done.parentActivityId) return
  const siblings = await cmd.em.find(Activity, { periodId: done.periodId, piece: done.piece })
  const waiting = siblings.filter(
    (sibling) => sibling.status === 'created' && sibling.dependsOn.includes(done.id),
  )
  const finished = new Set(
    siblings.filter((sibling) => sibling.status === 'done').map((sibling) => sibling.id),
  )
  const ready = waiting.filter((sibling) => sibling.dependsOn.every((id) => finished.has(id)))
  for (const activity of await lockActivities(
    cmd,
    ready.map((sibling) => sibling.id),
  )) {
    await wake(cmd, activity, { reason: 'new_task' })
  }
}

/** Wakes the parent that waits for this subtask, once no other subtask holds it. `outcome` is what the parent is told. */
export async function resumeParent(cmd: Command, subtask: ActivityRow, outcome: string): Promise<void> {
  if (!subtask.parentActivityId || !subtask.blocksParent) return
  const parent = await lockActivity(cmd, subtask.parentActivityId)
  if (parent.status !== 'awaiting_subtask') return
  const open = await cmd.em.count(Activity, {
    parentActivityId: parent.id,
    blocksParent: true,
    status: { $nin: ['done', 'reassigned', 'failed'] },
    id: { $ne: subtask.id },
  })
  if (open > 0) return
  await wake(cmd, parent, { reason: 'subtask_completed', note: { subtaskOutput: outcome } })
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
