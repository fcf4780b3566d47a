import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { preview } from '../../../kernel/text.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { DefaultAgent } from '../../agents/configuration/entities.ts'
import { Approval, ApprovalLink } from '../approvals/entities.ts'
import { Campaign } from '../campaigns/entities.ts'
import { latestOutput } from '../content/versions.ts'
import { Run, type RunRow } from '../runs/entities.ts'
import { latestComments } from './comment-queries.ts'
import { Activity, type ActivityRow } from './entities.ts'
import { summariesWhere } from './queries.ts'
import type { ActivityDetail } from './schemas.ts'

/** One activity with all that belongs to it. Serves `GET …/activities/:activityId`. @throws DomainError `NOT_FOUND` */
export function getActivity(ctx: Ctx, activityId: string): Promise<ActivityDetail> {
  return transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    if (!activity) throw notFound('activity')
    const campaign = activity.campaignId ? await txn.em.findOne(Campaign, { id: activity.campaignId }) : null
    const output = await latestOutput(txn, activity.id)
    const runs = await txn.em.find(Run, { activityId }, { orderBy: { id: 'asc' } })
    const current = runs.find(({ open }) => open)
    const approval = await newestApproval(txn, activity)
    return {
      id: activity.id,
      title: activity.title,
      type: activity.type,
      status: activity.status,
      agentRole: activity.agentRole,
      assignee: await assigneeOf(txn, activity),
      campaign: campaign && { id: campaign.id, name: campaign.name },
      ...(activity.deliverableId &&
        activity.deliverableType && {
          deliverable: { id: activity.deliverableId, type: activity.deliverableType },
        }),
      ...(approval && { approval: { id: approval.id, type: approval.type, status: approval.status } }),
      inputPrompt: activity.inputPrompt,
      ...(output && { outputRef: output.id, outputPreview: preview(output.text, 500) }),
      ...(await latestComments(txn, activityId)),
      runs: runs.flatMap(toEnded),
      ...(current && { currentRun: { id: current.id, startedAt: current.startedAt } }),
      subtasks: await summariesWhere(
        txn,
        { sql: 'x.parent_activity_id = ?', params: [activityId] },
        'asc',
        100,
      ),
      ...(activity.blocker && {
        blocker: { type: activity.blocker.type, description: activity.blocker.description },
      }),
      ...(activity.failureReason && { failureReason: activity.failureReason }),
      ...(activity.hold && { hold: activity.hold }),
      createdOn: activity.createdOn,
      updatedOn: activity.updatedOn,
    }
  })
}

/** Nothing for a run that is open, and for one that was taken back before it began. */
function toEnded(run: RunRow): ActivityDetail['runs'] {
  const { id, status, model, inputTokens, outputTokens, startedAt, completedAt, error } = run
  if (run.open || status === 'pending' || status === 'running' || startedAt === null) return []
  const endedAt = completedAt ?? startedAt
  return [
    {
      id,
      status,
      model,
      inputTokens,
      outputTokens,
      costUsd: run.costMicros / 1_000_000,
      durationMs: run.durationMs ?? Math.max(0, endedAt.getTime() - startedAt.getTime()),
      startedAt,
      ...(completedAt && { completedAt }),
      ...(error && { error }),
    },
  ]
}

/** The newest version of an activity's text. Serves `GET …/activities/:activityId/output`. @throws DomainError `NOT_FOUND` */
export function getOutput(ctx: Ctx, activityId: string) {
  return transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    if (!activity) throw notFound('activity')
    const output = await latestOutput(txn, activity.id)
    if (!output) throw new DomainError('NOT_FOUND', 'This activity has no text yet')
    const { text, format, version, sha256, createdOn } = output
    return { activityId, text, format, version, contentHash: sha256, createdOn }
  })
}

async function newestApproval(txn: Transaction, activity: ActivityRow) {
  const [link] = await txn.em.find(
    ApprovalLink,
    { activityId: activity.id },
    { orderBy: { approvalId: 'desc' }, limit: 1 },
  )
  return link ? txn.em.findOne(Approval, { id: link.approvalId }) : null
}

async function assigneeOf(txn: Transaction, activity: ActivityRow): Promise<ActivityDetail['assignee']> {
  if (activity.assigneeUserId) {
    const user = await txn.em.findOne(User, { id: activity.assigneeUserId })
    return { id: activity.assigneeUserId, name: user?.name ?? '', type: 'human' }
  }
  const role = activity.agentRole ?? ''
  const agent = await txn.em.findOne(DefaultAgent, { role })
  return { id: role, name: agent?.name ?? role, type: 'agent' }
}
