import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { addCommentTo } from '../../activities/comments.ts'
import { Activity, type ActivityRow } from '../../activities/entities.ts'
import { openActivities } from '../../activities/open.ts'
import { block, lockActivities, moveTo } from '../../activities/state.ts'
import { countAsked, pendingApprovalsOf } from '../../approvals/pending.ts'
import { type Question, requestApproval } from '../../approvals/request-approval.ts'
import { outgoingTypes } from '../../content/publishing-port.ts'
import { latestOutput } from '../../content/versions.ts'
import type { RunRow } from '../entities.ts'
import { lockOpenWork, lockRunAtWork } from './authorize-run.ts'
import { openReassigned, requireFreshRole } from './reassign.ts'
import type {
  BlockerReport,
  NewApproval,
  NewComment,
  NewSubtask,
  Reassignment,
  ReviewRequest,
} from './schemas.ts'

/**
 * What an agent may do during its run, beside writing. Each serves `POST /agent/v1/runs/:runId/actions/…` and is a tool of
 * the built-in loop. All throw `UNAUTHORIZED` when the run is another's, has ended or was taken over, and `NOT_FOUND`; those
 * that move the activity on throw `UNPROCESSABLE` when it is closed.
 */

/** Stops the activity until a person has dealt with what is in the way. */
export function reportBlocker(ctx: Ctx, runId: string, report: BlockerReport) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockOpenWork(txn, runId)
    const { blockerType, ...rest } = report
    await block(txn, activity, { type: blockerType, ...rest }, runId)
    auditAct(txn, run, 'run.report_blocker', report)
    return { activityId: activity.id, status: 'blocked' as const, humanTaskCreated: true }
  })
}

/** Each subtask may spend as much as its activity, so that one agent could spend without an end. */
const mostSubtasks = 50

/** Each is told to every admin; beyond this many no one reads them. */
const mostQuestions = 20

/**
 * @throws DomainError `UNPROCESSABLE` from within a subtask, when the activity has had 50 already, or when the role is not enabled for
 *   the tenant
 */
export function createSubtask(ctx: Ctx, runId: string, subtask: NewSubtask) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockOpenWork(txn, runId)
    if (activity.depth >= 1)
      throw new DomainError('UNPROCESSABLE', 'A subtask cannot have subtasks of its own')
    if ((await txn.em.count(Activity, { parentActivityId: activity.id })) >= mostSubtasks)
      throw new DomainError('UNPROCESSABLE', `An activity has at most ${mostSubtasks} subtasks`)
    await requireRole(txn, run.tenantId, subtask.agentRole)
    const id = txn.newId()
    await openActivities(txn, [
      {
        id,
        tenantId: run.tenantId,
        campaignId: activity.campaignId,
        beforeStart: activity.beforeStart,
        deliverableId: activity.deliverableId,
        deliverableType: activity.deliverableType,
        title: subtask.title,
        type: activity.type,
        agentRole: subtask.agentRole,
        parentActivityId: activity.id,
        blocksParent: subtask.blocking,
        depth: 1,
        priority: subtask.priority === 'high' ? 10 : activity.priority,
        inputPrompt: subtask.prompt,
      },
    ])
    if (subtask.blocking)
      moveTo(txn, activity, 'awaiting_subtask', `Waits for the subtask “${subtask.title}”`)
    auditAct(txn, run, 'run.create_subtask', { subtaskActivityId: id, agentRole: subtask.agentRole })
    return { subtaskActivityId: id, blocking: subtask.blocking, parentActivityId: activity.id }
  })
}

/**
 * Asks a person to look at the work; the activity waits for the answer.
 * @throws DomainError `CONFLICT` while it waits for one already: two verdicts on one piece would contradict each other
 */
export function requestReview(ctx: Ctx, runId: string, request: ReviewRequest) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockOpenWork(txn, runId)
    const pending = (await pendingApprovalsOf(txn, activity)).find(({ type }) => type === 'content_review')
    if (pending) {
      throw new DomainError('CONFLICT', 'A review of this activity is pending already', {
        details: { approvalId: pending.id },
      })
    }
    const approval = await requestApproval(txn, {
      tenantId: run.tenantId,
      campaignId: activity.campaignId,
      title: request.title,
      type: 'content_review',
      description: request.contentRef
        ? `${request.description}\n\n${request.contentRef}`
        : request.description,
      about: { activity, output: await latestOutput(txn, activity.id) },
      waiting: [activity],
      status: 'awaiting_review',
      askedBy: await agentOf(txn, run),
    })
    auditAct(txn, run, 'run.request_review', { approvalId: approval.id })
    return { approvalId: approval.id, activityId: activity.id, status: 'awaiting_review' as const }
  })
}

/**
 * Asks people a question of any type.
 * @throws DomainError `NOT_FOUND` for a linked activity of someone else; `UNPROCESSABLE` while 20 questions of the activity are pending
 */
export function createApproval(ctx: Ctx, runId: string, question: NewApproval) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockOpenWork(txn, runId)
    if ((await countAsked(txn, activity, run.agentRole)) >= mostQuestions)
      throw new DomainError(
        'UNPROCESSABLE',
        `${mostQuestions} approvals of this activity are pending: wait for their verdicts`,
      )
    const others = [...new Set(question.linkedActivityIds ?? [])].filter((id) => id !== activity.id)
    const linked = await lockActivities(txn, others)
    if (linked.length < others.length) throw notFound('linked activity')
    const approval = await requestApproval(txn, {
      tenantId: run.tenantId,
      campaignId: activity.campaignId,
      title: question.title,
      type: question.type,
      description: question.description ?? null,
      options: question.options ?? null,
      ...(await aboutText(txn, activity, question.type)),
      waiting: question.blockCurrentActivity ? [activity] : [],
      told: question.blockCurrentActivity ? linked : [activity, ...linked],
      status: 'awaiting_approval',
      askedBy: await agentOf(txn, run),
    })
    auditAct(txn, run, 'run.create_approval', { approvalId: approval.id, type: approval.type })
    return {
      approvalId: approval.id,
      type: approval.type,
      riskLevel: approval.riskLevel,
      expiresAt: approval.expiresAt,
    }
  })
}

/**
 * The text that people decide about: of a review always; of a channel action that of a piece which is published, so that the verdict
 * covers what goes out.
 */
async function aboutText(
  txn: Transaction,
  activity: ActivityRow,
  type: NewApproval['type'],
): Promise<Pick<Question, 'about'>> {
  const isAction = type === 'channel_action' && activity.isFinalStep
  if (type !== 'content_review' && !(isAction && outgoingTypes.has(activity.deliverableType))) return {}
  const output = await latestOutput(txn, activity.id)
  return output || type === 'content_review' ? { about: { activity, output } } : {}
}

/** Hands the work to another role or a person. @throws DomainError see `requireFreshRole` and `reassignTo` */
export function reassign(ctx: Ctx, runId: string, { toRole, toUserId, reason }: Reassignment) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockOpenWork(txn, runId)
    if (toRole) await requireFreshRole(txn, activity, toRole)
    const newActivityId = await openReassigned(
      txn,
      activity,
      toRole ? { role: toRole } : { userId: toUserId as string },
      reason,
      { field: 'toRole', by: await agentOf(txn, run) },
    )
    auditAct(txn, run, 'run.reassign', { newActivityId, reason })
    return { originalActivityId: activity.id, newActivityId }
  })
}

/** Says something about the activity without changing its status. */
export function addComment(ctx: Ctx, runId: string, comment: NewComment) {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockRunAtWork(txn, runId)
    const agent = await agentOf(txn, run)
    const { id } = await addCommentTo(txn, activity, comment, agent)
    auditAct(txn, run, 'run.add_comment', { commentId: id })
    return { commentId: id }
  })
}

async function agentOf(txn: Transaction, run: RunRow): Promise<{ id: string; name: string; type: 'agent' }> {
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  return { id: run.agentRole, name: agent?.name ?? run.agentRole, type: 'agent' }
}

async function requireRole(txn: Transaction, tenantId: string, role: string): Promise<void> {
  if (await effectiveAgent(txn, tenantId, role)) return
  throw new DomainError('UNPROCESSABLE', `The agent role ${role} is not enabled for this tenant`, {
    field: 'agentRole',
  })
}

function auditAct(txn: Transaction, run: RunRow, action: string, after: unknown): void {
  txn.audit({ tenantId: run.tenantId, resourceType: 'activity', resourceId: run.activityId, after, action })
}
