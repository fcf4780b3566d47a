import type { z } from 'zod'
import type { Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../activities/state.ts'
import type { ApprovalRow } from './entities.ts'
import { approvalEscalated, approvalOverdue } from './events.ts'
import { dueAfter } from './hours.ts'
import { hoursOf } from './hours-setting.ts'
import { approvalDueJob } from './jobs.ts'
import { lockApproval } from './pending.ts'
import { higherRisk, rankOf, workMsOf } from './policy.ts'
import { reviewersOf } from './queries.ts'

/**
 * Says by when people are expected to decide, in the working hours of the tenant, and queues the reminder and the escalation.
 * What is due no sooner than it expires has the warning of its expiry instead.
 */
export async function startDueDate(txn: Transaction, approval: ApprovalRow): Promise<void> {
  const { hours, timeZone } = await hoursOf(txn, approval.tenantId)
  const work = workMsOf(approval.riskLevel)
  const due = (since: Date) => dueAfter(since, work, hours, timeZone, approval.expiresAt)
  const dueAt = due(txn.clock.date())
  approval.dueAt = dueAt
  const escalateAt = due(dueAt)
  for (const [what, runAt] of [
    ['due', dueAt],
    ['overdue', escalateAt],
  ] as const) {
    if (runAt >= approval.expiresAt) continue
    txn.enqueue(approvalDueJob, {
      tenantId: approval.tenantId,
      payload: {
        approvalId: approval.id,
        dueAt: dueAt.toISOString(),
        escalateAt: escalateAt.toISOString(),
        what,
      },
      runAt,
      uniqueKey: `approval.${what}:${approval.id}:${dueAt.getTime()}`,
    })
  }
}

/**
 * The `approval.due` job: reminds people of what is due and undecided, and raises the risk of what has waited twice as long;
 * the time to decide then starts again, that until the expiry does not. A clock that was restarted makes the old one's jobs
 * do nothing.
 */
export async function approvalDue(
  txn: Transaction,
  { approvalId, dueAt, what }: z.output<typeof approvalDueJob.payload>,
): Promise<void> {
  const { approval, activities } = await lockApproval(txn, approvalId)
  const isOurs = approval.status === 'pending' && approval.dueAt?.toISOString() === dueAt
  if (!isOurs || approval.expiresAt.getTime() <= txn.clock.now()) return
  const risk = what === 'overdue' ? higherRisk(approval.riskLevel) : undefined
  if (!risk) return remind(txn, approval)
  const before = { riskLevel: approval.riskLevel }
  approval.riskLevel = risk
  approval.riskRank = rankOf(risk)
  approval.updatedOn = txn.clock.date()
  await startDueDate(txn, approval)
  for (const activity of activities)
    logActivity(txn, activity, {
      kind: 'approval',
      message: `“${approval.title}” has waited twice as long as it should: now of ${risk} risk`,
      data: { approvalId },
    })
  txn.emit(approvalEscalated, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: { approvalId, riskLevel: risk, title: approval.title },
  })
  txn.audit({
    tenantId: approval.tenantId,
    resourceType: 'approval',
    resourceId: approval.id,
    before,
    after: { riskLevel: risk, dueAt: approval.dueAt },
    action: 'approval.escalate',
  })
  await tell(txn, approval, `Escalated: ${approval.title}`, `No one has decided; it is of ${risk} risk now.`)
}

async function remind(txn: Transaction, approval: ApprovalRow): Promise<void> {
  txn.emit(approvalOverdue, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: { approvalId: approval.id, dueAt: approval.dueAt?.toISOString() ?? null, title: approval.title },
  })
  await tell(txn, approval, `Overdue: ${approval.title}`, 'A decision was due. Work waits for it.')
}

async function tell(txn: Transaction, approval: ApprovalRow, title: string, body: string): Promise<void> {
  const line = {
    tenantId: approval.tenantId,
    type: 'approval_expiring' as const,
    urgent: approval.riskLevel === 'high',
    title,
    body,
    subjectKind: 'approvals' as const,
    subjectId: approval.id,
  }
  await notify(txn, { ...line, to: 'admins' })
  // What is with the client is the client's to decide.
  if (approval.forwardedFrom === null)
    await notify(txn, { ...line, to: await reviewersOf(txn, approval.tenantId) })
}
