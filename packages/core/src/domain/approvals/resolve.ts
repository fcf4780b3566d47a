import { LockMode } from '@mikro-orm/core'
import { actorName } from '../actor.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, lockActivities } from '../activities/state.ts'
import { command } from '../command.ts'
import { remember } from '../content/feedback.ts'
import { latestOutput } from '../content/versions.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { notify } from '../notifications/notify.ts'
import type { Wake } from '../runs/entities.ts'
import { wake } from '../runs/wake.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'
import type { Verdict, VerdictReceipt } from './schemas.ts'

/**
 * Gives a verdict on a pending approval. Decision, note, wakes, audit row, notification and event commit together; of two
 * verdicts at once one wins. Serves `POST …/approvals/:approvalId/resolve` of every surface.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is no longer pending, has expired, or when `contentHash` is not what
 *   would be approved (`details.reason`: `content_changed`); `UNPROCESSABLE` when an option has to be chosen;
 *   `VALIDATION_ERROR` when a note is due
 */
export function resolve(ctx: Ctx, approvalId: string, verdict: Verdict): Promise<VerdictReceipt> {
  if (verdict.resolution !== 'approved' && !verdict.note?.trim()) {
    throw invalid('note', `A note is required when the resolution is ${verdict.resolution}`)
  }
  return command(ctx, async (cmd) => {
    const approval = await lockApproval(cmd, approvalId)
    requirePending(cmd, approval)
    requireOption(approval, verdict)
    await requireUnchanged(cmd, approval, verdict)
    const before = { status: approval.status }
    decide(cmd, approval, verdict)
    const reEnqueuedActivities = await tellProducers(cmd, approval, verdict)
    cmd.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before,
      after: {
        status: approval.status,
        resolution: verdict.resolution,
        note: verdict.note ?? null,
        contentHash: approval.contentHash,
      },
    })
    await announce(cmd, approval)
    return { approvalId: approval.id, resolution: verdict.resolution, reEnqueuedActivities }
  })
}

/** @throws DomainError `NOT_FOUND` */
export async function lockApproval(cmd: Command, id: string): Promise<ApprovalRow> {
  const approval = await cmd.em.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!approval) throw notFound('Approval')
  return approval
}

function requirePending(cmd: Command, approval: ApprovalRow): void {
  if (approval.status !== 'pending') {
    throw new DomainError('CONFLICT', `This approval is already ${approval.status}`, {
      details: { reason: 'already_resolved', status: approval.status, resolvedBy: approval.resolvedByName },
    })
  }
  if (approval.expiresAt.getTime() <= cmd.clock.now()) {
    throw new DomainError('CONFLICT', 'This approval has expired', { details: { reason: 'expired' } })
  }
}

function requireOption(approval: ApprovalRow, { resolution, selectedOption }: Verdict): void {
  if (selectedOption !== undefined && !approval.options?.includes(selectedOption)) {
    throw invalid(
      'selectedOption',
      approval.options ? `Choose one of: ${approval.options.join(', ')}` : 'This approval has no options',
    )
  }
  if (resolution === 'approved' && approval.options && selectedOption === undefined) {
    throw new DomainError('UNPROCESSABLE', 'This approval asks for a choice: name it in selectedOption', {
      field: 'selectedOption',
      details: { options: approval.options },
    })
  }
}

/** People approve what they saw: the newest version must be the one that the approval shows and that the caller names. */
async function requireUnchanged(cmd: Command, approval: ApprovalRow, verdict: Verdict): Promise<void> {
  const changed = (presentHash: string | null) => {
    throw new DomainError('CONFLICT', 'The content has changed since it was shown', {
      details: { reason: 'content_changed', contentHash: presentHash },
    })
  }
  if (verdict.contentHash !== undefined && verdict.contentHash !== approval.contentHash)
    changed(approval.contentHash)
  if (!approval.contentHash) return
  const [link] = await cmd.em.find(ApprovalLink, { approvalId: approval.id, blocking: true }, { limit: 1 })
  const latest = link ? await latestOutput(cmd, link.activityId) : null
  if (latest && latest.sha256 !== approval.contentHash) changed(latest.sha256)
}

function decide(cmd: Command, approval: ApprovalRow, verdict: Verdict): void {
  const now = cmd.clock.date()
  approval.status = verdict.resolution === 'approved' ? 'approved' : 'rejected'
  approval.resolution = verdict.resolution
  approval.resolutionNote = verdict.note ?? null
  approval.selectedOption = verdict.selectedOption ?? null
  approval.resolvedAt = now
  approval.resolvedById = cmd.actor.id
  approval.resolvedByName = actorName(cmd)
  approval.updatedOn = now
}

/** Wakes every linked activity with the verdict. @returns how many were given back to their agents */
async function tellProducers(cmd: Command, approval: ApprovalRow, verdict: Verdict): Promise<number> {
  const links = await cmd.em.find(ApprovalLink, { approvalId: approval.id })
  const activities = await lockActivities(
    cmd,
    links.map((row) => row.activityId),
  )
  let woken = 0
  for (const activity of activities) {
    logActivity(cmd, activity, {
      kind: 'verdict',
      message: verdictLine(cmd, verdict),
      data: { approvalId: approval.id },
    })
    remember(cmd, activity, {
      kind: verdict.resolution,
      text: verdict.note?.trim() ?? '',
      approvalId: approval.id,
    })
    if (isClosed(activity)) continue
    activity.failures = 0
    if (await wake(cmd, activity, wakeFor(verdict))) woken += 1
  }
  return woken
}

function wakeFor({ resolution, note, selectedOption }: Verdict): Wake {
  if (resolution === 'approved')
    return {
      reason: 'review_approved',
      note: { ...(selectedOption && { selectedOption }), ...(note && { comment: note }) },
    }
  const text = note ?? ''
  return {
    reason: 'review_feedback',
    note: { rejectionNote: text, ...(resolution === 'revision_requested' && { reviewerFeedback: text }) },
  }
}

function verdictLine(cmd: Command, { resolution, note, selectedOption }: Verdict): string {
  const parts = [`${actorName(cmd)}: ${resolution.replaceAll('_', ' ')}`]
  if (selectedOption) parts.push(`chose “${selectedOption}”`)
  if (note) parts.push(`“${note}”`)
  return parts.join(', ')
}

async function announce(cmd: Command, approval: ApprovalRow): Promise<void> {
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_resolved',
    subject: approval.id,
    data: {
      approvalId: approval.id,
      type: approval.type,
      status: approval.status,
      resolution: approval.resolution,
    },
  })
  await notify(cmd, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `${approval.resolution === 'approved' ? 'Approved' : 'Sent back'}: ${approval.title}`,
    body: approval.resolutionNote ?? `Decided by ${approval.resolvedByName}.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
