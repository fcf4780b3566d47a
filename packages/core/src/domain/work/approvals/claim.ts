import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import type { ApprovalRow } from './entities.ts'
import { lockApproval, requirePending } from './pending.ts'
import type { ClaimReceipt } from './schemas.ts'

/** How long no one else is offered what someone looks at, milliseconds. */
const claimMs = 15 * 60_000

/**
 * Says that the caller looks at an approval, for 15 minutes; again for 15 more. Others are shown who it is and are not offered
 * it as the next one; they may still decide. Serves `POST /dm/v1/approvals/:approvalId/claim`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not pending, or someone else looks at it
 */
export function claim(ctx: Ctx, approvalId: string): Promise<ClaimReceipt> {
  return transact(ctx, async (txn) => {
    const { approval } = await lockApproval(txn, approvalId)
    requirePending(txn, approval)
    requireFree(txn, approval)
    const claimedUntil = new Date(txn.clock.now() + claimMs)
    const claimedBy = { id: txn.actor.id, name: actorName(txn) }
    Object.assign(approval, { claimedById: claimedBy.id, claimedByName: claimedBy.name, claimedUntil })
    record(txn, approval, { claimedBy: claimedBy.id, claimedUntil })
    return { approvalId, claimedBy, claimedUntil }
  })
}

/**
 * Lets go of what the caller has claimed; nothing happens when no one has. Serves `DELETE /dm/v1/approvals/:approvalId/claim`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is someone else who looks at it
 */
export function unclaim(ctx: Ctx, approvalId: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const { approval } = await lockApproval(txn, approvalId)
    requireFree(txn, approval)
    Object.assign(approval, { claimedById: null, claimedByName: null, claimedUntil: null })
    record(txn, approval, { claimedBy: null })
  })
}

function requireFree(txn: Transaction, { claimedById, claimedByName, claimedUntil }: ApprovalRow): void {
  if (claimedById === null || claimedById === txn.actor.id) return
  if (claimedUntil === null || claimedUntil.getTime() <= txn.clock.now()) return
  throw new DomainError('CONFLICT', `${claimedByName} looks at this`, {
    details: { reason: 'claimed', claimedBy: { id: claimedById, name: claimedByName }, claimedUntil },
  })
}

function record(txn: Transaction, approval: ApprovalRow, after: object): void {
  txn.audit({
    tenantId: approval.tenantId,
    resourceType: 'approval',
    resourceId: approval.id,
    after,
  })
}
