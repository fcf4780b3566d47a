import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { CampaignMapping } from '../entities.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { lockChangeSet, lookAtChanges } from './apply.ts'
import type { ChangeItem, ChangeSetRow } from './entities.ts'
import { planChanges } from './plan.ts'
import { getChangeSet } from './queries.ts'
import type { Change, ChangeSet, ChangeSetApproval } from './schemas.ts'
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
    const set = await require(txn, at)
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

/**
 * Plans the way back of a set that was applied. What the platform has changed since, and what had no value before, is left as it is,
 * and says so. Serves `POST /tenant/v1/campaigns/:campaignId/change-sets/:changeSetId/undo`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when nothing of it was applied; as `planChanges`
 */
export async function undoChangeSet(
  ctx: Ctx,
  at: { campaignId: string; changeSetId: string },
): Promise<ChangeSet> {
  const { set, platform } = await transact(ctx, async (txn) => {
    const found = await require(txn, at)
    const mapping = await txn.em.findOneOrFail(CampaignMapping, { id: found.mappingId })
    return { set: found, platform: mapping.platform }
  })
  const { id, title, items } = set
  const back = items.filter(({ state }) => state === 'applied').map(reversed)
  const changes = back.flatMap(({ change }) => (change ? [change] : []))
  if (changes.length === 0)
    throw new DomainError('CONFLICT', 'Nothing of this change set can be taken back', {
      details: { kept: back.map(({ item }) => item.label) },
    })
  const expected = back.flatMap(({ change, item }) => (change ? [item.after] : []))
  const order = { title: `Undo: ${title}`.slice(0, 200), source: 'undo' as const, changes, platform }
  const planned = await planChanges(ctx, at.campaignId, { ...order, undo: { id, expected } })
  return getChangeSet(ctx, at.campaignId, planned.id)
}

/** The change that takes an item back; undefined where the platform cannot. */
function reversed(item: ChangeItem): { item: ChangeItem; change: Change | undefined } {
  const { kind, before, subjectId, text, matchType } = item
  const keywordId = subjectId ?? ''
  if (kind === 'keyword_bid')
    return { item, change: typeof before === 'number' ? { kind, keywordId, bidMicros: before } : undefined }
  if (kind === 'keyword_status')
    return { item, change: isStatus(before) ? { kind, keywordId, status: before } : undefined }
  if (kind === 'daily_budget')
    return { item, change: typeof before === 'number' ? { kind, dailyBudgetMicros: before } : undefined }
  if (kind === 'campaign_status')
    return { item, change: isStatus(before) ? { kind, status: before } : undefined }
  if (before === null)
    return { item, change: { kind: 'remove_negative', negativeKeywordId: subjectId ?? '' } }
  const isWhole = text !== null && matchType !== null && item.groupId === null
  return { item, change: isWhole ? { kind: 'add_negative', keyword: text, matchType } : undefined }
}

const isStatus = (value: ChangeItem['before']): value is 'enabled' | 'paused' =>
  value === 'enabled' || value === 'paused'

async function require(
  txn: Transaction,
  { campaignId, changeSetId }: { campaignId: string; changeSetId: string },
): Promise<ChangeSetRow> {
  await requireCampaign(txn, campaignId)
  const set = await lockChangeSet(txn, changeSetId)
  if (set?.campaignId !== campaignId) throw notFound('change set')
  return set
}
