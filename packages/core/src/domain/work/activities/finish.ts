import type { Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import { Campaign } from '../campaigns/entities.ts'
import { adoptOrder } from '../campaigns/workflow/adopt.ts'
import type { OutputRow } from '../content/entities.ts'
import { completeRequest } from '../content/requests/complete.ts'
import { saveWake, wake } from '../runs/queue/wake.ts'
import { adoptStrategy } from '../strategy/strategy.ts'
import { Activity, type ActivityRow, closedStatuses } from './entities.ts'
import { activityCompleted } from './events.ts'
import { isClosed, isWaiting, lockActivities, lockActivity, moveTo } from './state.ts'

/** Closes an activity as done and moves on what waited for it: later steps of its piece, and the parent of a subtask. */
export async function finish(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow | null,
): Promise<void> {
  moveTo(txn, activity, 'done', 'Done')
  activity.completedAt = txn.clock.date()
  txn.emit(activityCompleted, {
    tenantId: activity.tenantId,
    subject: activity.id,
    data: { activityId: activity.id, status: 'done', outputRef: output?.id ?? null, title: activity.title },
  })
  await txn.em.flush()
  await adoptStrategy(txn, activity, output)
  await adoptOrder(txn, activity, output)
  if (activity.approvalRequired && output) txn.services.tenantKnowledge.keepApproved(txn, activity, output)
  await startDependents(txn, activity)
  await resumeParent(txn, activity, output?.text ?? '')
  if (!activity.isFinalStep) return
  if (output) await txn.services.tenantPublishing.takePiece(txn, activity, output)
  await completeRequest(txn, activity)
  await tellCompleted(txn, activity)
}

async function startDependents(txn: Transaction, done: ActivityRow): Promise<void> {
  const { periodId, piece } = done
  if (!periodId || done.parentActivityId) return
  const later = await txn.em.find(
    Activity,
    { periodId, piece, status: 'created' },
    { fields: ['id', 'dependsOn'], disableIdentityMap: true },
  )
  const waiting = later.filter(({ dependsOn }) => dependsOn.includes(done.id)).map(({ id }) => id)
  for (const activity of await lockActivities(txn, waiting)) {
    // Asked under its lock: of two steps that end at the same moment, the second must see that the first has.
    const finished = await txn.em.count(Activity, { id: { $in: activity.dependsOn }, status: 'done' })
    if (activity.status !== 'created' || finished < activity.dependsOn.length) continue
    await wake(txn, activity, { reason: 'new_task' })
  }
}

/**
 * Tells the parent of a blocking subtask how it ended. The parent is woken when no other subtask holds it; while it waits
 * for something else the outcome is kept for it.
 */
export async function resumeParent(txn: Transaction, subtask: ActivityRow, outcome: string): Promise<void> {
  if (!subtask.parentActivityId || !subtask.blocksParent) return
  const parent = await lockActivity(txn, subtask.parentActivityId)
  if (isClosed(parent)) return
  const waitsForSubtask = parent.status === 'awaiting_subtask'
  const holds = waitsForSubtask ? (await openSubtasks(txn, subtask)) > 0 : isWaiting(parent)
  await (holds ? saveWake : wake)(txn, parent, {
    reason: 'subtask_completed',
    note: { subtaskOutput: outcome },
  })
}

/** How many other subtasks the same parent waits for. */
async function openSubtasks(txn: Transaction, subtask: ActivityRow): Promise<number> {
  return txn.em.count(Activity, {
    parentActivityId: subtask.parentActivityId,
    blocksParent: true,
    status: { $nin: [...closedStatuses] },
    id: { $ne: subtask.id },
  })
}

async function tellCompleted(txn: Transaction, activity: ActivityRow): Promise<void> {
  const campaign = activity.campaignId ? await txn.em.findOne(Campaign, { id: activity.campaignId }) : null
  await notify(txn, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'activity_completed',
    title: `Done: ${activity.title}`,
    body: campaign ? `Campaign ${campaign.name}` : 'The piece is finished.',
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
