import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { openReassigned } from '../runs/lifecycle/reassign.ts'
import { wake } from '../runs/queue/wake.ts'
import { addCommentTo } from './comments.ts'
import type { ActivityRow } from './entities.ts'
import type { Handover } from './schemas.ts'
import { lockActivity } from './state.ts'

/** Who is to have an activity: an agent role of its tenant, or a person of it. */
export type Assignee = { role: string } | { userId: string }

/**
 * Gives an activity to another agent or a person: it closes as `reassigned`, and its successor takes its place in the plan,
 * with a note for anyone who takes over. Serves `POST /dm/v1/activities/:activityId/reassign`.
 * @throws DomainError `NOT_FOUND` also for a person of another tenant; `UNPROCESSABLE` when it is closed, or the role is not
 *   enabled for the tenant
 */
export function reassignActivity(ctx: Ctx, activityId: string, handover: Handover) {
  const { assigneeType, assigneeId, reason, note } = handover
  const to = assigneeType === 'agent' ? { role: assigneeId } : { userId: assigneeId }
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    const newActivityId = await reassignLocked(txn, activity, to, reason, 'assigneeId')
    if (note) await forwardComment(txn, newActivityId, note)
    return { originalActivityId: activityId, newActivityId }
  })
}

/** As `reassignActivity`, for one that is locked. @returns the id of the successor */
export async function reassignLocked(
  txn: Transaction,
  activity: ActivityRow,
  to: Assignee,
  reason: string,
  field: 'assigneeId' | 'toId',
): Promise<string> {
  const { id, tenantId, status, agentRole, assigneeUserId } = activity
  const newActivityId = await openReassigned(txn, activity, to, reason, { field })
  txn.audit({
    tenantId,
    resourceType: 'activity',
    resourceId: id,
    before: { status, agentRole, assigneeUserId },
    after: { status: 'reassigned', newActivityId, ...to, reason },
  })
  return newActivityId
}

/** Tells anyone who takes over what to mind: people read it as a comment, an agent hears it in its first run. */
async function forwardComment(txn: Transaction, activityId: string, text: string): Promise<void> {
  await txn.em.flush()
  const successor = await lockActivity(txn, activityId)
  const author = { id: txn.actor.id, name: actorName(txn), type: 'human' as const }
  await addCommentTo(txn, successor, { text, type: 'intervention_note' }, author)
  if (successor.agentRole) await wake(txn, successor, { reason: 'reassigned', note: { comment: text } })
}
