import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { logActivity } from '../activities/state.ts'
import { syncPost } from '../content/blog/sync.ts'
import { Approval, type ApprovalRow } from './entities.ts'
import { lockApproval, requirePending } from './pending.ts'
import { openApproval, startExpiry } from './request-approval.ts'
import type { Forward, ForwardReceipt } from './schemas.ts'

/**
 * Asks the client as well: a second approval for the tenant's admins, linked with the first, which stays pending. A verdict on
 * either is a verdict on both. The client has the time of a question of low risk, or when it is urgent of high risk, and the
 * first approval lasts as long. Serves `POST /dm/v1/approvals/:approvalId/send-to-client`.
 * @returns `notificationSent` is false when the tenant has no active admin beside the caller
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not pending, or the client has it already
 */
export function sendToClient(
  ctx: Ctx,
  approvalId: string,
  { note, urgency }: Forward,
): Promise<ForwardReceipt> {
  return transact(ctx, async (txn) => {
    const { approval: original, activities, waiting } = await lockApproval(txn, approvalId)
    requirePending(txn, original)
    if (original.forwardedFrom !== null || (await linkedApproval(txn, original))) {
      throw new DomainError('CONFLICT', 'The client has this already', {
        details: {
          reason: 'already_forwarded',
          forwardedApprovalId: original.forwardedFrom === null ? original.forwardedTo : original.id,
        },
      })
    }
    const { tenantId, campaignId, title, options, contentOf, outputId, contentHash } = original
    const { approval, told } = await openApproval(
      txn,
      {
        tenantId,
        campaignId,
        title,
        type: 'content_review',
        description: note?.trim() || original.description,
        options,
        riskLevel: urgency === 'urgent' ? 'high' : 'low',
        contentOf,
        outputId,
        contentHash,
        forwardedFrom: original.id,
        askedBy: { id: txn.actor.id, name: actorName(txn), type: 'human' },
      },
      activities.map(({ id }) => ({ activityId: id, blocking: waiting.has(id) })),
    )
    original.forwardedTo = approval.id
    original.updatedOn = txn.clock.date()
    if (original.expiresAt < approval.expiresAt) {
      original.expiresAt = approval.expiresAt
      startExpiry(txn, original)
    }
    for (const activity of activities)
      logActivity(txn, activity, {
        kind: 'approval',
        message: `${actorName(txn)} sent “${title}” to the client`,
        data: { approvalId: original.id, forwardedApprovalId: approval.id },
      })
    txn.audit({
      tenantId,
      resourceType: 'approval',
      resourceId: original.id,
      after: { forwardedTo: approval.id, urgency, note: note ?? null },
    })
    for (const activity of activities) await syncPost(txn, activity)
    return { forwardedApprovalId: approval.id, notificationSent: told > 0 }
  })
}

/** The approval at the client, or the one that it was forwarded from, while that can be decided as well. */
export async function linkedApproval(txn: Transaction, approval: ApprovalRow): Promise<ApprovalRow | null> {
  const id = approval.forwardedTo ?? approval.forwardedFrom
  if (id === null) return null
  return txn.em.findOne(Approval, { id, status: 'pending', expiresAt: { $gt: txn.clock.date() } })
}
