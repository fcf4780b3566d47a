import { actorName, type Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { logActivity, moveTo } from '../activities/state.ts'
import { syncPost } from '../content/blog/sync.ts'
import type { OutputRow } from '../content/entities.ts'
import { startDueDate } from './due-date.ts'
import { Approval, ApprovalLink, type ApprovalRow, type ApprovalType, type RiskLevel } from './entities.ts'
import { approvalCreated } from './events.ts'
import { approvalClockJob } from './jobs.ts'
import { expiryOf, rankOf, riskOf, warningMs } from './policy.ts'

export interface Question {
  tenantId: string
  campaignId: string | null
  title: string
  type: ApprovalType
  description?: string | null
  options?: string[] | null
  /** The activity whose text people are asked about, and the version that they are shown; null while there is none. */
  about?: { activity: ActivityRow; output: OutputRow | null }
  /** Activities that wait for the answer, each locked by the caller. */
  waiting: readonly ActivityRow[]
  /** Activities that are told the answer and go on meanwhile. */
  told?: readonly ActivityRow[]
  /** What the waiting activities become. */
  status: 'awaiting_approval' | 'awaiting_review'
  askedBy: { id: string; name: string; type: 'agent' | 'human' }
}

/** Asks people: creates the pending approval, suspends the work that waits for it, starts its clock and tells the admins. */
export async function requestApproval(txn: Transaction, question: Question): Promise<ApprovalRow> {
  const { waiting, told = [], about, status, askedBy, ...rest } = question
  const { approval } = await openApproval(
    txn,
    {
      ...rest,
      description: question.description ?? null,
      options: question.options ?? null,
      riskLevel: riskOf(question.type),
      contentOf: about?.activity.id ?? null,
      outputId: about?.output?.id ?? null,
      contentHash: about?.output?.sha256 ?? null,
      forwardedFrom: null,
      askedBy,
    },
    [
      ...waiting.map(({ id }) => ({ activityId: id, blocking: true })),
      ...told.map(({ id }) => ({ activityId: id, blocking: false })),
    ],
  )
  for (const activity of waiting) {
    moveTo(txn, activity, status, `Waits for an answer to “${approval.title}”`)
    logActivity(txn, activity, {
      kind: 'approval',
      message: `${actorName(txn)} asks: ${approval.title}`,
      data: { approvalId: approval.id },
    })
  }
  for (const activity of question.waiting) await syncPost(txn, activity)
  return approval
}

/** What one question says that another does not. */
export interface Opening
  extends Pick<
    ApprovalRow,
    | 'tenantId'
    | 'campaignId'
    | 'title'
    | 'type'
    | 'description'
    | 'options'
    | 'contentOf'
    | 'outputId'
    | 'contentHash'
    | 'forwardedFrom'
  > {
  riskLevel: RiskLevel
  askedBy: { id: string; name: string; type: 'agent' | 'human' }
}

/** An activity that an answer is for, and whether it waits for it. */
export interface Link {
  activityId: string
  blocking: boolean
}

/** Creates a pending approval, starts its clock and tells the admins; no activity is moved. @returns also how many were told */
export async function openApproval(
  txn: Transaction,
  opening: Opening,
  links: readonly Link[],
): Promise<{ approval: ApprovalRow; told: number }> {
  const now = txn.clock.date()
  const { askedBy, riskLevel, title, options, ...rest } = opening
  const approval = txn.em.create(Approval, {
    ...rest,
    id: txn.newId(),
    title: title.slice(0, 200),
    riskLevel,
    riskRank: rankOf(riskLevel),
    status: 'pending',
    options: options?.length ? options : null,
    createdById: askedBy.id,
    createdByName: askedBy.name,
    createdByType: askedBy.type,
    createdOn: now,
    expiresAt: expiryOf(riskLevel, now),
    dueAt: null,
    claimedById: null,
    claimedByName: null,
    claimedUntil: null,
    resolvedAt: null,
    resolvedById: null,
    resolvedByName: null,
    resolution: null,
    resolutionNote: null,
    selectedOption: null,
    forwardedTo: null,
    edited: false,
    replacedBy: null,
    updatedOn: now,
  })
  for (const link of links)
    txn.em.create(ApprovalLink, { ...link, approvalId: approval.id, tenantId: approval.tenantId })
  startExpiry(txn, approval)
  const dated = startDueDate(txn, approval)
  txn.emit(approvalCreated, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: {
      approvalId: approval.id,
      type: approval.type,
      riskLevel,
      title: approval.title,
      activityIds: links.map(({ activityId }) => activityId),
    },
  })
  const [told] = await Promise.all([
    notify(txn, {
      tenantId: approval.tenantId,
      to: 'admins',
      type: 'approval_created',
      urgent: approval.riskLevel === 'high',
      title: approval.title,
      body: approval.description ?? 'A piece of work waits for your decision.',
      subjectKind: 'approvals',
      subjectId: approval.id,
    }),
    dated,
  ])
  return { approval, told }
}

/** Queues the warning and the expiry of a pending approval; called again when its clock is restarted. */
export function startExpiry(txn: Transaction, approval: ApprovalRow): void {
  const at = approval.expiresAt
  const payload = { approvalId: approval.id, expiresAt: at.toISOString() }
  const order = { tenantId: approval.tenantId, payload }
  txn.enqueue(approvalClockJob, {
    ...order,
    runAt: new Date(at.getTime() - warningMs),
    uniqueKey: `approval.warn:${approval.id}:${at.getTime()}`,
  })
  txn.enqueue(approvalClockJob, {
    ...order,
    runAt: at,
    uniqueKey: `approval.expire:${approval.id}:${at.getTime()}`,
  })
}
