import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { CampaignMapping } from '../entities.ts'
import { AdGroup } from '../keywords/entities.ts'
import { requireChangeSet } from './decide.ts'
import type { ChangeItem } from './entities.ts'
import { leftAsItIs } from './items.ts'
import { planChanges } from './plan.ts'
import { getChangeSet } from './queries.ts'
import type { ChangeSet, PlannedChange } from './schemas.ts'

/**
 * Plans the way back of a set that was applied. What the platform has changed since, what had no value before, and what stands in the way of
 * something newer is left as it is, and says so. Serves `POST /tenant/v1/campaigns/:campaignId/change-sets/:changeSetId/undo`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when nothing of it was applied; as `planChanges`
 */
export async function undoChangeSet(
  ctx: Ctx,
  at: { campaignId: string; changeSetId: string },
): Promise<ChangeSet> {
  const { set, platform, groups } = await transact(ctx, async (txn) => {
    const found = await requireChangeSet(txn, at)
    const mapping = await txn.em.findOneOrFail(CampaignMapping, { id: found.mappingId })
    const known = await txn.em.find(AdGroup, { campaignId: at.campaignId })
    return {
      set: found,
      platform: mapping.platform,
      groups: new Map(known.map(({ externalId, id }) => [externalId, id])),
    }
  })
  const { id, title, items } = set
  const changes: PlannedChange[] = []
  const undone: ChangeItem[] = []
  const kept: ChangeItem[] = []
  for (const item of items.filter(({ state }) => state === 'applied')) {
    const change = reversed(item, groups)
    if (!change) kept.push(leftAsItIs(item, 'What it was before is not known'))
    else {
      changes.push(change)
      undone.push(item)
    }
  }
  if (changes.length === 0)
    throw new DomainError('CONFLICT', 'Nothing of this change set can be taken back', {
      details: { kept: kept.map(({ label }) => label) },
    })
  const planned = await planChanges(ctx, at.campaignId, {
    title: `Undo: ${title}`.slice(0, 200),
    source: 'undo',
    changes,
    platform,
    undo: { id, items: undone, kept },
  })
  return getChangeSet(ctx, at.campaignId, planned.id)
}

/** The change that takes an item back; undefined where there is none. @param groups of the platform, with ours */
function reversed(item: ChangeItem, groups: ReadonlyMap<string, string>): PlannedChange | undefined {
  const { kind, before, subjectId, groupId, text: keyword, matchType } = item
  const keywordId = subjectId ?? ''
  switch (kind) {
    case 'keyword_bid':
      return typeof before === 'number' ? { kind, keywordId, bidMicros: before } : undefined
    case 'keyword_status':
      return isStatus(before) ? { kind, keywordId, status: before } : undefined
    case 'daily_budget':
      return typeof before === 'number' ? { kind, dailyBudgetMicros: before } : undefined
    case 'campaign_status':
      return isStatus(before) ? { kind, status: before } : undefined
    case 'negative_keyword': {
      if (before === null) return { kind: 'remove_negative', negativeKeywordId: keywordId }
      const adGroupId = groupId === null ? undefined : groups.get(groupId)
      if (keyword === null || matchType === null || (groupId !== null && adGroupId === undefined))
        return undefined
      return { kind: 'add_negative', keyword, matchType, ...(adGroupId !== undefined && { adGroupId }) }
    }
    case 'ad': {
      if (before === null) return { kind: 'remove_ad', item }
      const adGroupId = groups.get(groupId ?? '')
      if (!item.ad || subjectId === null || adGroupId === undefined) return undefined
      const { finalUrl, contentHash } = item.ad
      return { kind: 'add_ad', activityId: subjectId, adGroupId, finalUrl, contentHash }
    }
  }
}

const isStatus = (value: ChangeItem['before']): value is 'enabled' | 'paused' =>
  value === 'enabled' || value === 'paused'
