import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { reassignTo } from '../runs/reassign.ts'
import { wake } from '../runs/wake.ts'
import { addCommentTo } from './comments.ts'
import type { ActivityRow } from './entities.ts'
import type { Handover } from './schemas.ts'
import { lockActivity } from './state.ts'

/** Who is to have an activity: an agent role of its tenant, or a person of it. */
export type Taker = { role: string } | { userId: string }

/**
 * Gives an activity to another agent or a person: it closes as `reassigned`, and its successor takes its place in the plan,
 * with a note for whoever takes over. Serves `POST /dm/v1/activities/:activityId/reassign`.
 * @throws DomainError `NOT_FOUND` also for a person of another tenant; `UNPROCESSABLE` when it is closed, or the role is not
 *   enabled for the tenant
 */
export function reassignActivity(ctx: Ctx, activityId: string, handover: Handover) {
  const { assigneeType, assigneeId, reason, note } = handover
  const to = assigneeType === 'agent' ? { role: assigneeId } : { userId: assigneeId }
  return command(ctx, async (cmd) => {
    const activity = await lockActivity(cmd, activityId)
    const newActivityId = await handTo(cmd, activity, to, reason, 'assigneeId')
    if (note) await passOn(cmd, newActivityId, note)
    return { originalActivityId: activityId, newActivityId }
  })
}

/** As `reassignActivity`, for one that is locked. @returns the id of the successor */
export async function handTo(
  cmd: Command,
  activity: ActivityRow,
  to: Taker,
  reason: string,
  field: 'assigneeId' | 'toId',
): Promise<string> {
  const { id, tenantId, status, agentRole, assigneeUserId } = activity
  const newActivityId = await reassignTo(cmd, activity, to, reason, { field })
  cmd.audit({
    tenantId,
    resourceType: 'activity',
    resourceId: id,
    before: { status, agentRole, assigneeUserId },
    after: { status: 'reassigned', newActivityId, ...to, reason },
  })
  return newActivityId
}

/** Tells whoever takes over what to mind: people read it as a comment, an agent hears it in its first run. */
async function passOn(cmd: Command, activityId: string, text: string): Promise<void> {
  await cmd.em.flush()
  const successor = await lockActivity(cmd, activityId)
  const author = { id: cmd.actor.id, name: actorName(cmd), type: 'human' as const }
  await addCommentTo(cmd, successor, { text, type: 'intervention_note' }, author)
  if (successor.agentRole) await wake(cmd, successor, { reason: 'reassigned', note: { comment: text } })
}
