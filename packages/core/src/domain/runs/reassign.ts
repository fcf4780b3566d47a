import { effectiveAgent } from '../agents/effective-queries.ts'
import { Activity, ActivityLogEntry, type ActivityRow, closedStatuses } from '../activities/entities.ts'
import { logActivity } from '../activities/log.ts'
import { openActivities } from '../activities/open.ts'
import { isClosed, moveTo } from '../activities/state.ts'
import { type Withdrawer, withdraw } from '../approvals/withdraw.ts'
import type { Command } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { User } from '../identity/entities.ts'
import { stopRun } from './cancel.ts'

/**
 * Closes an activity as `reassigned` and opens its successor for another role or a person. Steps that waited for the old one
 * wait for the new one, its subtasks report to the new one, and questions about it are taken back, since the new one asks its
 * own. The caller has locked the activity.
 * @param field where the request names the role
 * @param by who takes the questions back; default: whoever acts
 * @returns the id of the new activity
 * @throws DomainError `NOT_FOUND` for a person of another tenant; `UNPROCESSABLE` when it is closed or the role not enabled
 */
export async function reassignTo(
  cmd: Command,
  activity: ActivityRow,
  target: { role: string } | { userId: string },
  reason: string,
  { field, by }: { field: 'toRole' | 'assigneeId' | 'toId'; by?: Withdrawer },
): Promise<string> {
  if (isClosed(activity)) throw new DomainError('UNPROCESSABLE', `The activity is already ${activity.status}`)
  if ('userId' in target) {
    const user = await cmd.em.findOne(User, {
      id: target.userId,
      tenantId: activity.tenantId,
      status: 'active',
    })
    if (!user) throw notFound('user')
  } else if (!(await effectiveAgent(cmd, activity.tenantId, target.role))) {
    throw new DomainError('UNPROCESSABLE', `The agent role ${target.role} is not enabled for this tenant`, {
      field,
    })
  }
  const { periodId, piece, stepNumber } = activity
  // A step whose turn has not come waits on for the steps before it, whoever has it.
  const dependsOn = activity.status === 'created' ? activity.dependsOn : []
  // The place in the plan goes to the successor; two activities cannot hold it.
  activity.periodId = null
  activity.hold = null
  moveTo(cmd, activity, 'reassigned', `Reassigned: ${reason}`)
  await stopRun(cmd, activity, 'Reassigned before it started')
  await cmd.em.flush()
  const id = cmd.newId()
  await openActivities(cmd, [
    {
      id,
      tenantId: activity.tenantId,
      campaignId: activity.campaignId,
      deliverableId: activity.deliverableId,
      deliverableType: activity.deliverableType,
      periodId,
      piece,
      stepNumber,
      isFinalStep: activity.isFinalStep,
      title: activity.title,
      type: activity.type,
      agentRole: 'role' in target ? target.role : null,
      assigneeUserId: 'userId' in target ? target.userId : null,
      parentActivityId: activity.parentActivityId,
      blocksParent: activity.blocksParent,
      depth: activity.depth,
      dependsOn,
      priority: activity.priority,
      inputPrompt: activity.inputPrompt,
      approvalRequired: activity.approvalRequired,
      approvalType: activity.approvalType,
      wakeReason: 'reassigned',
    },
  ])
  await redirectDependents(cmd, activity, periodId, id)
  await withdraw(cmd, [activity], `The work was given to somebody else: ${reason}`, by)
  logActivity(
    cmd,
    { id, tenantId: activity.tenantId },
    {
      kind: handover,
      message: `Taken over: ${reason}`,
      data: { from: activity.id },
    },
  )
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_reassigned',
    subject: activity.id,
    data: { activityId: activity.id, newActivityId: id },
  })
  return id
}

/** The kind of the log line by which a successor names the activity before it. */
const handover = 'handover'

/**
 * Agents hand work on, not round: each new activity starts with a budget of its own, so that two roles that refuse the same
 * work would spend without an end. People may give it to whom they like.
 * @throws DomainError `UNPROCESSABLE` when the role has the work, or had it before
 */
export async function requireFreshRole(cmd: Command, activity: ActivityRow, role: string): Promise<void> {
  for (let at: ActivityRow | null = activity; at; at = await predecessor(cmd, at)) {
    if (at.agentRole !== role) continue
    throw new DomainError(
      'UNPROCESSABLE',
      at === activity
        ? `The agent role ${role} has this work already`
        : `The agent role ${role} has handed this work on before: ask a person`,
      { field: 'toRole' },
    )
  }
}

async function predecessor(cmd: Command, activity: ActivityRow): Promise<ActivityRow | null> {
  const line = await cmd.em.findOne(ActivityLogEntry, { activityId: activity.id, kind: handover })
  const from = line?.data?.['from']
  return typeof from === 'string' ? cmd.em.findOne(Activity, { id: from }) : null
}

async function redirectDependents(
  cmd: Command,
  from: ActivityRow,
  periodId: string | null,
  to: string,
): Promise<void> {
  const open = { parentActivityId: from.id, status: { $nin: [...closedStatuses] } }
  for (const subtask of await cmd.em.find(Activity, open)) subtask.parentActivityId = to
  if (!periodId) return
  for (const sibling of await cmd.em.find(Activity, { periodId, piece: from.piece, status: 'created' })) {
    if (sibling.dependsOn.includes(from.id))
      sibling.dependsOn = sibling.dependsOn.map((id) => (id === from.id ? to : id))
  }
}
