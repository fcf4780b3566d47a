import { logActivity } from '../activities/log.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import type { ApprovalRow } from './entities.ts'
import { dueAfter } from './hours.ts'
import { hoursOf } from './hours-setting.ts'
import { lockApproval } from './pending.ts'
import { higherRisk, rankOf, workMsOf } from './policy.ts'
import { reviewersOf } from './reviewer-queries.ts'

/**
 * Says by when people are expected to decide, in the working hours of the tenant, and queues the reminder and the escalation.
 * What is due no sooner than it expires has the warning of its expiry instead.
 */
export async function startReviewClock(cmd: Command, approval: ApprovalRow): Promise<void> {
  const { hours, timeZone } = await hoursOf(cmd, approval.tenantId)
  const work = workMsOf(approval.riskLevel)
  const due = (since: Date) => dueAfter(since, work, hours, timeZone, approval.expiresAt)
  const dueAt = due(cmd.clock.date())
  approval.dueAt = dueAt
  const escalateAt = due(dueAt)
  for (const [what, runAt] of [
    ['due', dueAt],
    ['overdue', escalateAt],
  ] as const) {
    if (runAt >= approval.expiresAt) continue
    cmd.enqueue({
      kind: 'approval.due',
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
 * the time to decide then starts anew, that until the expiry does not. A clock that was restarted makes the old one's jobs
 * do nothing.
 */
export async function approvalDue(ctx: Ctx, payload: Record<string, unknown>): Promise<void> {
  const { approvalId, dueAt, what } = payload as {
    approvalId: string
    dueAt: string
    what: 'due' | 'overdue'
  }
  await command(ctx, async (cmd) => {
    const { approval, activities } = await lockApproval(cmd, approvalId)
    const isOurs = approval.status === 'pending' && approval.dueAt?.toISOString() === dueAt
    if (!isOurs || approval.expiresAt.getTime() <= cmd.clock.now()) return
    const risk = what === 'overdue' ? higherRisk(approval.riskLevel) : undefined
    if (!risk) return remind(cmd, approval)
    const before = { riskLevel: approval.riskLevel }
    approval.riskLevel = risk
    approval.riskRank = rankOf(risk)
    approval.updatedOn = cmd.clock.date()
    await startReviewClock(cmd, approval)
    for (const activity of activities)
      logActivity(cmd, activity, {
        kind: 'approval',
        message: `“${approval.title}” has waited twice as long as it should: now of ${risk} risk`,
        data: { approvalId },
      })
    cmd.emit({
      tenantId: approval.tenantId,
      type: 'approval_escalated',
      subject: approval.id,
      data: { approvalId, riskLevel: risk, title: approval.title },
    })
    cmd.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before,
      after: { riskLevel: risk, dueAt: approval.dueAt },
      action: 'approval.escalate',
    })
    await tell(
      cmd,
      approval,
      `Escalated: ${approval.title}`,
      `Nobody has decided; it is of ${risk} risk now.`,
    )
  })
}

async function remind(cmd: Command, approval: ApprovalRow): Promise<void> {
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_overdue',
    subject: approval.id,
    data: { approvalId: approval.id, dueAt: approval.dueAt, title: approval.title },
  })
  await tell(cmd, approval, `Overdue: ${approval.title}`, 'A decision was due. Work waits for it.')
}

async function tell(cmd: Command, approval: ApprovalRow, title: string, body: string): Promise<void> {
  const line = {
    tenantId: approval.tenantId,
    type: 'approval_expiring' as const,
    urgent: approval.riskLevel === 'high',
    title,
    body,
    subjectKind: 'approvals' as const,
    subjectId: approval.id,
  }
  await notify(cmd, { ...line, to: 'admins' })
  // What is with the client is the client's to decide.
  if (approval.forwardedFrom === null)
    await notify(cmd, { ...line, to: await reviewersOf(cmd, approval.tenantId) })
}
