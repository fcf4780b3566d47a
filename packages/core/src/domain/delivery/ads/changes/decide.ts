import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { lockChangeSet, lookAtChanges } from './apply.ts'
import type { ChangeSetRow } from './entities.ts'
import { getChangeSet } from './queries.ts'
import type { ChangeSet, ChangeSetApproval } from './schemas.ts'
import { withdrawNegative } from './settle.ts'

/**
 * Approves a plan by its digest, so that it is done at once; single items may be rejected. Serves
 * `POST /tenant/v1/campaigns/:campaignId/change-sets/:changeSetId/approve`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` with another digest, or when it was decided already; `VALIDATION_ERROR` on `reject`
 */
export async function approveChangeSet(
  ctx: Ctx,
  at: { campaignId: string; changeSetId: string },
  { digest, reject = [] }: ChangeSetApproval,
): Promise<ChangeSet> {
  await transact(ctx, async (txn) => {
    const set = await requireChangeSet(txn, at)
    if (set.digest !== digest)
      throw new DomainError('CONFLICT', 'This is not the digest of the change set: look at it again', {
        details: { reason: 'digest' },
      })
    await approve(txn, set, reject)
  })
  return getChangeSet(ctx, at.campaignId, at.changeSetId)
}

/** How long a job leaves a set alone that its caller does, milliseconds. */
const aheadMs = 60_000

/**
 * Approves a plan that is still one. The caller holds its lock.
 * @param how `now`: the caller does it, and a job only where the caller has died
 * @throws DomainError as `approveChangeSet`
 */
export async function approve(
  txn: Transaction,
  set: ChangeSetRow,
  reject: readonly number[] = [],
  { now: isNow = false } = {},
): Promise<void> {
  if (set.status !== 'planned')
    throw new DomainError('CONFLICT', `The change set is ${set.status}: there is nothing to approve`)
  const items = set.items.map((item) => ({ ...item }))
  for (const place of reject) {
    const item = items[place]
    if (item?.state !== 'planned') throw invalid('reject', `There is no open item ${place}`)
    item.state = 'rejected'
    await withdrawNegative(txn, item)
  }
  const isEmpty = items.every(({ state }) => state !== 'planned')
  const now = txn.clock.date()
  Object.assign(set, {
    items,
    status: isEmpty ? 'rejected' : 'approved',
    approvedById: txn.actor.id,
    approvedByName: actorName(txn),
    approvedOn: now,
    updatedOn: now,
  })
  if (!isEmpty) lookAtChanges(txn, set, now, isNow ? new Date(now.getTime() + aheadMs) : now)
  const { id, tenantId, digest, status } = set
  txn.audit({ tenantId, resourceType: 'ad_change_set', resourceId: id, after: { status, digest } })
}

/** A change set of a campaign, locked. @throws DomainError `NOT_FOUND` */
export async function requireChangeSet(
  txn: Transaction,
  { campaignId, changeSetId }: { campaignId: string; changeSetId: string },
): Promise<ChangeSetRow> {
  await requireCampaign(txn, campaignId)
  const set = await lockChangeSet(txn, changeSetId)
  if (set?.campaignId !== campaignId) throw notFound('change set')
  return set
}
