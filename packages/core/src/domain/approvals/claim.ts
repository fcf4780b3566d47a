import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { ApprovalRow } from './entities.ts'
import { lockApproval, requirePending } from './pending.ts'
import type { ClaimReceipt } from './schemas.ts'

/** How long nobody else is offered what somebody looks at, milliseconds. */
const claimMs = 15 * 60_000

/**
 * Says that the caller looks at an approval, for 15 minutes; again for 15 more. Others are shown who it is and are not offered
 * it as the next one; they may still decide. Serves `POST /dm/v1/approvals/:approvalId/claim`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not pending, or somebody else looks at it
 */
export function claim(ctx: Ctx, approvalId: string): Promise<ClaimReceipt> {
  return command(ctx, async (cmd) => {
    const { approval } = await lockApproval(cmd, approvalId)
    requirePending(cmd, approval)
    requireFree(cmd, approval)
    const claimedUntil = new Date(cmd.clock.now() + claimMs)
    const claimedBy = { id: cmd.actor.id, name: actorName(cmd) }
    Object.assign(approval, { claimedById: claimedBy.id, claimedByName: claimedBy.name, claimedUntil })
    record(cmd, approval, { claimedBy: claimedBy.id, claimedUntil })
    return { approvalId, claimedBy, claimedUntil }
  })
}

/**
 * Lets go of what the caller has claimed; nothing happens when nobody has. Serves `DELETE /dm/v1/approvals/:approvalId/claim`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is somebody else who looks at it
 */
export function unclaim(ctx: Ctx, approvalId: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const { approval } = await lockApproval(cmd, approvalId)
    requireFree(cmd, approval)
    Object.assign(approval, { claimedById: null, claimedByName: null, claimedUntil: null })
    record(cmd, approval, { claimedBy: null })
  })
}

function requireFree(cmd: Command, { claimedById, claimedByName, claimedUntil }: ApprovalRow): void {
  if (claimedById === null || claimedById === cmd.actor.id) return
  if (claimedUntil === null || claimedUntil.getTime() <= cmd.clock.now()) return
  throw new DomainError('CONFLICT', `${claimedByName} looks at this`, {
    details: { reason: 'claimed', claimedBy: { id: claimedById, name: claimedByName }, claimedUntil },
  })
}

function record(cmd: Command, approval: ApprovalRow, after: object): void {
  cmd.audit({
    tenantId: approval.tenantId,
    resourceType: 'approval',
    resourceId: approval.id,
    after,
  })
}
