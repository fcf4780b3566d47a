import { actorName } from '../actor.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { logActivity } from '../activities/log.ts'
import { moveTo } from '../activities/state.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { Approval, ApprovalLink, type ApprovalRow, type ApprovalType } from './entities.ts'
import { expiryOf, rankOf, riskOf, warningMs } from './policy.ts'

export interface Question {
  tenantId: string
  campaignId: string | null
  title: string
  type: ApprovalType
  description?: string | null
  options?: string[] | null
  /** The version that people are asked about. */
  output?: OutputRow | null
  /** Activities that wait for the answer, each locked by the caller. */
  waiting: readonly ActivityRow[]
  /** Activities that are told the answer and go on meanwhile. */
  told?: readonly ActivityRow[]
  /** What the waiting activities become. */
  status: 'awaiting_approval' | 'awaiting_review'
  askedBy: { id: string; name: string; type: 'agent' | 'human' }
}

/** Asks people: creates the pending approval, suspends the work that waits for it, starts its clock and tells the admins. */
export async function ask(cmd: Command, question: Question): Promise<ApprovalRow> {
  const now = cmd.clock.date()
  const risk = riskOf(question.type)
  const approval = cmd.em.create(Approval, {
    id: cmd.newId(),
    tenantId: question.tenantId,
    campaignId: question.campaignId,
    title: question.title.slice(0, 200),
    type: question.type,
    riskLevel: risk,
    riskRank: rankOf(risk),
    status: 'pending',
    description: question.description ?? null,
    options: question.options?.length ? question.options : null,
    createdById: question.askedBy.id,
    createdByName: question.askedBy.name,
    createdByType: question.askedBy.type,
    createdOn: now,
    expiresAt: expiryOf(risk, now),
    resolvedAt: null,
    resolvedById: null,
    resolvedByName: null,
    resolution: null,
    resolutionNote: null,
    selectedOption: null,
    outputId: question.output?.id ?? null,
    contentHash: question.output?.sha256 ?? null,
    forwardedFrom: null,
    forwardedTo: null,
    updatedOn: now,
  })
  for (const activity of question.waiting) link(cmd, approval, activity, true)
  for (const activity of question.told ?? []) link(cmd, approval, activity, false)
  for (const activity of question.waiting) {
    moveTo(cmd, activity, question.status, `Waits for an answer to “${approval.title}”`)
    logActivity(cmd, activity, {
      kind: 'approval',
      message: `${actorName(cmd)} asks: ${approval.title}`,
      data: { approvalId: approval.id },
    })
  }
  startClock(cmd, approval)
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_created',
    subject: approval.id,
    data: {
      approvalId: approval.id,
      type: approval.type,
      riskLevel: approval.riskLevel,
      title: approval.title,
      activityIds: [...question.waiting, ...(question.told ?? [])].map((activity) => activity.id),
    },
  })
  await notify(cmd, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'approval_created',
    title: approval.title,
    body: approval.description ?? 'A piece of work waits for your decision.',
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
  return approval
}

/** Queues the warning and the expiry of a pending approval; called again when its clock is restarted. */
export function startClock(cmd: Command, approval: ApprovalRow): void {
  const at = approval.expiresAt
  const payload = { approvalId: approval.id, expiresAt: at.toISOString() }
  const job = { kind: 'approval.clock', tenantId: approval.tenantId, payload }
  cmd.enqueue({
    ...job,
    runAt: new Date(at.getTime() - warningMs),
    uniqueKey: `approval.warn:${approval.id}:${at.getTime()}`,
  })
  cmd.enqueue({ ...job, runAt: at, uniqueKey: `approval.expire:${approval.id}:${at.getTime()}` })
}

function link(cmd: Command, approval: ApprovalRow, activity: ActivityRow, blocking: boolean): void {
  cmd.em.create(ApprovalLink, {
    approvalId: approval.id,
    activityId: activity.id,
    tenantId: activity.tenantId,
    blocking,
  })
}
