import { actorName, type Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../activities/state.ts'
import { startDueDate } from './due-date.ts'
import { approvalEscalated } from './events.ts'
import { lockApproval, requirePending } from './pending.ts'
import { expiryOf, rankOf } from './policy.ts'
import { startExpiry } from './request-approval.ts'
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
  return transact(ctx, async (txn) => {
    const { approval, activities } = await lockApproval(txn, approvalId)
    requirePending(txn, approval)
    if (rankOf(newRiskLevel) >= approval.riskRank) {
      throw new DomainError('UNPROCESSABLE', `The risk is ${approval.riskLevel} already`, {
        field: 'newRiskLevel',
      })
    }
    const before = { riskLevel: approval.riskLevel, expiresAt: approval.expiresAt }
    const now = txn.clock.date()
    approval.riskLevel = newRiskLevel
    approval.riskRank = rankOf(newRiskLevel)
    approval.expiresAt = expiryOf(newRiskLevel, now)
    approval.updatedOn = now
    startExpiry(txn, approval)
    await startDueDate(txn, approval)
    for (const activity of activities)
      logActivity(txn, activity, {
        kind: 'approval',
        message: `${actorName(txn)} escalated “${approval.title}” to ${newRiskLevel} risk: ${reason}`,
        data: { approvalId },
      })
    txn.emit(approvalEscalated, {
      tenantId: approval.tenantId,
      subject: approval.id,
      data: { approvalId, riskLevel: newRiskLevel, title: approval.title },
    })
    await notify(txn, {
      tenantId: approval.tenantId,
      to: 'admins',
      type: 'approval_created',
      urgent: newRiskLevel === 'high',
      title: `Escalated: ${approval.title}`,
      body: reason,
      subjectKind: 'approvals',
      subjectId: approval.id,
    })
    txn.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before,
      after: { riskLevel: newRiskLevel, expiresAt: approval.expiresAt, reason },
    })
    return { approvalId, riskLevel: newRiskLevel, newExpiresAt: approval.expiresAt }
  })
}
