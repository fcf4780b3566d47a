import { actorName } from '../actor.ts'
import { logActivity } from '../activities/log.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, invalid } from '../errors.ts'
import { notify } from '../notifications/notify.ts'
import { startClock } from './ask.ts'
import { lockApproval, requirePending } from './pending.ts'
import { expiryOf, rankOf } from './policy.ts'
import { startReviewClock } from './review-clock.ts'
import type { Escalation, EscalationReceipt } from './schemas.ts'

/**
 * Raises the risk of a pending approval and restarts its clock with the time of the new risk.
 * Serves `POST /dm/v1/approvals/:approvalId/escalate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not pending; `UNPROCESSABLE` when the risk is as high already;
 *   `VALIDATION_ERROR` when the reason is blank
 */
export function escalate(
  ctx: Ctx,
  approvalId: string,
  { newRiskLevel, reason }: Escalation,
): Promise<EscalationReceipt> {
  if (reason.trim() === '') throw invalid('reason', 'A reason is required')
  return command(ctx, async (cmd) => {
    const { approval, activities } = await lockApproval(cmd, approvalId)
    requirePending(cmd, approval)
    if (rankOf(newRiskLevel) >= approval.riskRank) {
      throw new DomainError('UNPROCESSABLE', `The risk is ${approval.riskLevel} already`, {
        field: 'newRiskLevel',
      })
    }
    const before = { riskLevel: approval.riskLevel, expiresAt: approval.expiresAt }
    const now = cmd.clock.date()
    approval.riskLevel = newRiskLevel
    approval.riskRank = rankOf(newRiskLevel)
    approval.expiresAt = expiryOf(newRiskLevel, now)
    approval.updatedOn = now
    startClock(cmd, approval)
    await startReviewClock(cmd, approval)
    for (const activity of activities)
      logActivity(cmd, activity, {
        kind: 'approval',
        message: `${actorName(cmd)} escalated “${approval.title}” to ${newRiskLevel} risk: ${reason}`,
        data: { approvalId },
      })
    cmd.emit({
      tenantId: approval.tenantId,
      type: 'approval_escalated',
      subject: approval.id,
      data: { approvalId, riskLevel: newRiskLevel, title: approval.title },
    })
    await notify(cmd, {
      tenantId: approval.tenantId,
      to: 'admins',
      type: 'approval_created',
      urgent: newRiskLevel === 'high',
      title: `Escalated: ${approval.title}`,
      body: reason,
      subjectKind: 'approvals',
      subjectId: approval.id,
    })
    cmd.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before,
      after: { riskLevel: newRiskLevel, expiresAt: approval.expiresAt, reason },
    })
    return { approvalId, riskLevel: newRiskLevel, newExpiresAt: approval.expiresAt }
  })
}
