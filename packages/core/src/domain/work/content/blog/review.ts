import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { notAssigned } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { isClosed, lockActivity } from '../../activities/state.ts'
import type { ApprovalRow } from '../../approvals/entities.ts'
import { sendToClient } from '../../approvals/forward.ts'
import { lockApproval } from '../../approvals/pending.ts'
import { resolve } from '../../approvals/resolve.ts'
import { lockOpenRun } from '../../runs/queue/wake.ts'
import { BlogPost, type PostRow } from './entities.ts'
import type { PostApproval, PostRejection } from './schemas.ts'
import { syncPost } from './sync.ts'

/**
 * Lets a post go on to the client: the reviewers' approval stays open until the client has answered, whose verdict it then
 * takes. Serves `POST /dm/v1/blog/:id/dm-approve`.
 * @throws DomainError `FORBIDDEN` for a post of a tenant outside the scope, and to a caller who is assigned to tenants for one
 *   that there is not; `NOT_FOUND`; `BAD_REQUEST` when it is not in `dm_review`; `CONFLICT` when it has changed since it was
 *   shown, or the time to decide is over
 */
export function dmApprove(ctx: Ctx, id: string, seen: PostApproval = {}) {
  return transact(ctx, async (txn) => {
    // The contract answers so to anyone who has no access to the tenant of a post; a post that there is not is answered alike.
    if (txn.scope !== 'all' && !(await txn.em.findOne(BlogPost, { id }))) throw notAssigned()
    const { post, approval, activity } = await inReview(txn, id)
    if (seen.contentHash !== undefined && seen.contentHash !== post.contentHash) throw changed(post)
    await sendToClient(txn, approval.id, { urgency: 'normal' })
    post.dmApprovedBy = actorName(txn)
    post.dmApprovedAt = txn.clock.date()
    await syncPost(txn, activity)
    return { ok: true as const, status: 'client_review' as const }
  })
}

/**
 * Sends a post back to its writer with what is wrong; the next version comes back for review. Serves
 * `POST /dm/v1/blog/:id/dm-reject`.
 * @throws DomainError as {@link dmApprove}, and `NOT_FOUND` in the place of `FORBIDDEN`
 */
export function dmReject(ctx: Ctx, id: string, { feedback }: PostRejection) {
  return transact(ctx, async (txn) => {
    const { approval, activity } = await inReview(txn, id)
    await resolve(txn, approval.id, { resolution: 'rejected', note: feedback }, { reason: 'rejection' })
    const run = await lockOpenRun(txn, activity.id)
    return { ok: true as const, status: 'rejected' as const, jobId: run?.id ?? null }
  })
}

/** A post that reviewers may decide on, with all that the decision is about, locked. */
async function inReview(
  txn: Transaction,
  id: string,
): Promise<{ post: PostRow; approval: ApprovalRow; activity: ActivityRow }> {
  const known = await txn.em.findOne(BlogPost, { id })
  if (!known) throw notFound('blog post')
  const activity = await lockActivity(txn, known.activityId)
  const post = await txn.em.refreshOrFail(known, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (post.status !== 'dm_review' || isClosed(activity)) {
    const why = post.status === 'dm_review' ? `its activity is ${activity.status}` : `it is in ${post.status}`
    throw new DomainError('BAD_REQUEST', `The post cannot be reviewed: ${why}`)
  }
  const { approval } = await lockApproval(txn, post.approvalId)
  if (approval.contentHash !== post.contentHash) throw changed(post)
  if (approval.status !== 'pending' || approval.expiresAt.getTime() <= txn.clock.now()) {
    throw new DomainError(
      'CONFLICT',
      'The time to decide is over; try the activity again, and it asks again',
      {
        details: { reason: 'expired' },
      },
    )
  }
  return { post, approval, activity }
}

function changed({ contentHash }: PostRow): DomainError {
  return new DomainError('CONFLICT', 'The content has changed since it was shown', {
    details: { reason: 'content_changed', contentHash },
  })
}
