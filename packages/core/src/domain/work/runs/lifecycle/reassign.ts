import type { Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { User } from '../../../accounts/identity/entities.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { Activity, ActivityLogEntry, type ActivityRow, closedStatuses } from '../../activities/entities.ts'
import { activityReassigned } from '../../activities/events.ts'
import { openActivities } from '../../activities/open.ts'
import { isClosed, logActivity, moveTo } from '../../activities/state.ts'
import { type Withdrawer, withdraw } from '../../approvals/withdraw.ts'
import { handOverOrder } from '../../campaigns/workflow/material.ts'
import { stopRun } from './cancel.ts'

/**
 * Closes an activity as `reassigned` and opens its successor for another role or a person. Steps that waited for the old one
 * wait for the new one, its subtasks report to the new one, and questions about it are taken back, since the new one asks its
 * own. The caller has locked the activity.
 * @param field where the request names the role
 * @param by who takes the questions back; default: anyone who acts
 * @returns the id of the new activity
 * @throws DomainError `NOT_FOUND` for a person of another tenant; `UNPROCESSABLE` when it is closed or the role not enabled
 */
export async function openReassigned(
  txn: Transaction,
  activity: ActivityRow,
  target: { role: string } | { userId: string },
  reason: string,
  { field, by }: { field: 'toRole' | 'assigneeId' | 'toId'; by?: Withdrawer },
): Promise<string> {
  if (isClosed(activity)) throw new DomainError('UNPROCESSABLE', `The activity is already ${activity.status}`)
  if ('userId' in target) {
    const user = await txn.em.findOne(User, {
      id: target.userId,
      tenantId: activity.tenantId,
      status: 'active',
    })
    if (!user) throw notFound('user')
  } else if (!(await effectiveAgent(txn, activity.tenantId, target.role))) {
    throw new DomainError('UNPROCESSABLE', `The agent role ${target.role} is not enabled for this tenant`, {
      field,
    })
  }
  const { periodId, piece, stepNumber } = activity
  // A step whose turn has not come waits on for the steps before it, with any assignee.
  const dependsOn = activity.status === 'created' ? activity.dependsOn : []
  // The place in the plan goes to the successor; two activities cannot hold it.
  activity.periodId = null
  activity.hold = null
  moveTo(txn, activity, 'reassigned', `Reassigned: ${reason}`)
  await stopRun(txn, activity, 'Reassigned before it started')
  await txn.em.flush()
  const id = txn.newId()
  await handOverOrder(txn, activity, id)
  await openActivities(txn, [
    {
      id,
      tenantId: activity.tenantId,
      campaignId: activity.campaignId,
      beforeStart: activity.beforeStart,
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
  await redirectDependents(txn, activity, periodId, id)
  await withdraw(txn, [activity], `The work was given to someone else: ${reason}`, by)
  logActivity(
    txn,
    { id, tenantId: activity.tenantId },
    {
      kind: handover,
      message: `Taken over: ${reason}`,
      data: { from: activity.id },
    },
  )
  txn.emit(activityReassigned, {
    tenantId: activity.tenantId,
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
export async function requireFreshRole(txn: Transaction, activity: ActivityRow, role: string): Promise<void> {
  for (let at: ActivityRow | null = activity; at; at = await predecessor(txn, at)) {
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

async function predecessor(txn: Transaction, activity: ActivityRow): Promise<ActivityRow | null> {
  const line = await txn.em.findOne(ActivityLogEntry, { activityId: activity.id, kind: handover })
  const from = line?.data?.['from']
  return typeof from === 'string' ? txn.em.findOne(Activity, { id: from }) : null
}

async function redirectDependents(
  txn: Transaction,
  from: ActivityRow,
  periodId: string | null,
  to: string,
): Promise<void> {
  const open = { parentActivityId: from.id, status: { $nin: [...closedStatuses] } }
  for (const subtask of await txn.em.find(Activity, open)) subtask.parentActivityId = to
  if (!periodId) return
  for (const sibling of await txn.em.find(Activity, { periodId, piece: from.piece, status: 'created' })) {
    if (sibling.dependsOn.includes(from.id))
      sibling.dependsOn = sibling.dependsOn.map((id) => (id === from.id ? to : id))
  }
}
