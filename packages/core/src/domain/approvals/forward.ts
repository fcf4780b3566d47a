import { actorName } from '../actor.ts'
import { logActivity } from '../activities/log.ts'
import { command } from '../command.ts'
import { settlePost } from '../content/blog/settle.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { openApproval, startClock } from './ask.ts'
import { Approval, type ApprovalRow } from './entities.ts'
import { lockApproval, requirePending } from './pending.ts'
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
  return command(ctx, async (cmd) => {
    const { approval: original, activities, waiting } = await lockApproval(cmd, approvalId)
    requirePending(cmd, original)
    if (original.forwardedFrom !== null || (await otherHalf(cmd, original))) {
      throw new DomainError('CONFLICT', 'The client has this already', {
        details: {
          reason: 'already_forwarded',
          forwardedApprovalId: original.forwardedFrom === null ? original.forwardedTo : original.id,
        },
      })
    }
    const { tenantId, campaignId, title, options, contentOf, outputId, contentHash } = original
    const { approval, told } = await openApproval(
      cmd,
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
        askedBy: { id: cmd.actor.id, name: actorName(cmd), type: 'human' },
      },
      activities.map(({ id }) => ({ activityId: id, blocking: waiting.has(id) })),
    )
    original.forwardedTo = approval.id
    original.updatedOn = cmd.clock.date()
    if (original.expiresAt < approval.expiresAt) {
      original.expiresAt = approval.expiresAt
      startClock(cmd, original)
    }
    for (const activity of activities)
      logActivity(cmd, activity, {
        kind: 'approval',
        message: `${actorName(cmd)} sent “${title}” to the client`,
        data: { approvalId: original.id, forwardedApprovalId: approval.id },
      })
    cmd.audit({
      tenantId,
      resourceType: 'approval',
      resourceId: original.id,
      after: { forwardedTo: approval.id, urgency, note: note ?? null },
    })
    for (const activity of activities) await settlePost(cmd, activity)
    return { forwardedApprovalId: approval.id, notificationSent: told > 0 }
  })
}

/** The approval at the client, or the one that it was forwarded from, while that can be decided as well. */
export async function otherHalf(cmd: Command, approval: ApprovalRow): Promise<ApprovalRow | null> {
  const id = approval.forwardedTo ?? approval.forwardedFrom
  if (id === null) return null
  return cmd.em.findOne(Approval, { id, status: 'pending', expiresAt: { $gt: cmd.clock.date() } })
}
