import type { Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import type { MappingRow } from '../entities.ts'
import { AdGroup, CampaignKeyword, type MatchType, NegativeKeyword } from '../keywords/entities.ts'
import { blank, type Draft } from './draft.ts'
import type { ChangeItem, ChangeValue } from './entities.ts'
import { draftAd, draftAdRemoval, nameOfAd } from './new-ad.ts'
import type { ChangeOrder } from './plan.ts'
import { money } from './policy.ts'
import type { Change, PlannedChange } from './schemas.ts'

/** Drafts of changes, and what of an undo or a recommendation is left as it is. */
export interface Drafted {
  drafts: Draft[]
  kept: ChangeItem[]
}

/**
 * What a request wants to change, by our rows. What stands in the way of one item of an undo is told by that item.
 * @throws DomainError as `draftItem`, but for an undo
 */
export async function draftAll(
  txn: Transaction,
  mapping: MappingRow,
  { changes, undo, source }: Pick<ChangeOrder, 'changes' | 'undo' | 'source'>,
): Promise<Drafted> {
  const drafts: Draft[] = []
  const kept = [...(undo?.kept ?? [])]
  for (const [i, change] of changes.entries()) {
    const undone = undo?.items[i]
    const taken = source === 'recommendation' ? await takenItem(txn, mapping, change) : undefined
    if (taken) {
      kept.push(taken)
      continue
    }
    try {
      const draft = await draftItem(txn, mapping, change, `changes.${i}`)
      requireOther(drafts, draft, `changes.${i}`)
      drafts.push({ ...draft, ...(undone && { expected: undone.after }) })
    } catch (error) {
      if (!undone || !(error instanceof DomainError)) throw error
      kept.push(leftAsItIs(undone, error.message))
    }
  }
  return { drafts, kept }
}

/** @throws DomainError `VALIDATION_ERROR` when a set would change one thing twice: what comes of it would be left to chance */
function requireOther(drafts: readonly Draft[], { item }: Draft, field: string): void {
  const target = targetOf(item)
  if (!drafts.some((other) => targetOf(other.item) === target)) return
  const isNewAd = item.kind === 'ad' && item.after !== null
  throw invalid(
    field,
    `Another change of this set ${isNewAd ? 'makes the same ad' : 'is about the same thing'}`,
  )
}

/** What an item is about: a negative keyword by its words, whether it is there or not. */
function targetOf(item: ChangeItem): string {
  const { kind, groupId, externalId, text, matchType } = item
  const isNegative = kind === 'negative_keyword'
  const one = isNegative ? negativeText(text ?? '') : (nameOfAd(item) ?? externalId)
  return JSON.stringify([kind, groupId, one, isNegative && matchType])
}

/** An item that is not taken back. */
export const leftAsItIs = (item: ChangeItem, reason: string): ChangeItem => ({
  ...item,
  before: item.after,
  after: item.before,
  state: 'refused',
  reason,
})

/**
 * What a request wants to change, by our rows.
 * @throws DomainError `NOT_FOUND` on the row that is not the campaign's; `VALIDATION_ERROR` for another currency than the account's;
 *   `CONFLICT` for a negative keyword that is there, or is not any more; as `draftAd`
 */
async function draftItem(
  txn: Transaction,
  mapping: MappingRow,
  change: PlannedChange,
  field: string,
): Promise<Draft> {
  const { currency } = mapping
  if ('currency' in change && change.currency !== undefined && change.currency !== currency)
    throw invalid(`${field}.currency`, `The account is in ${currency}`)
  switch (change.kind) {
    case 'keyword_bid':
      return ofKeyword(txn, mapping, change, change.bidMicros, `Bid ${money(change.bidMicros, currency)} for`)
    case 'keyword_status':
      return ofKeyword(txn, mapping, change, change.status, change.status === 'paused' ? 'Pause' : 'Enable')
    case 'daily_budget': {
      const label = `Daily budget ${money(change.dailyBudgetMicros, currency)}`
      return ofCampaign('daily_budget', change.dailyBudgetMicros, label)
    }
    case 'campaign_status':
      return ofCampaign(
        'campaign_status',
        change.status,
        `${change.status === 'paused' ? 'Pause' : 'Enable'} the campaign`,
      )
    case 'add_negative':
      return newNegative(txn, mapping, change, field)
    case 'remove_negative':
      return oldNegative(txn, mapping, change.negativeKeywordId)
    case 'add_ad':
      return draftAd(txn, mapping, change, field)
    case 'remove_ad':
      return draftAdRemoval(txn, mapping, change.item)
  }
}

function ofCampaign(kind: 'daily_budget' | 'campaign_status', after: ChangeValue, label: string): Draft {
  return { item: { ...blank, kind, after, label }, adGroupId: null }
}

async function ofKeyword(
  txn: Transaction,
  { campaignId }: MappingRow,
  { kind, keywordId }: { kind: 'keyword_bid' | 'keyword_status'; keywordId: string },
  after: ChangeValue,
  words: string,
): Promise<Draft> {
  const keyword = await txn.em.findOne(CampaignKeyword, { id: keywordId, campaignId })
  if (!keyword) throw notFound('keyword')
  const group = await txn.em.findOneOrFail(AdGroup, { id: keyword.adGroupId })
  const { text, matchType, externalCriterionId, adGroupId } = keyword
  return {
    item: {
      ...blank,
      kind,
      after,
      label: `${words} “${text}” (${matchType})`,
      subjectId: keyword.id,
      groupId: group.externalId,
      externalId: externalCriterionId,
      text,
      matchType,
    },
    adGroupId,
  }
}

/** How a negative keyword is written here: platforms tell neither capitals nor the width of spaces apart. */
export const negativeText = (keyword: string): string => keyword.trim().replace(/\s+/g, ' ').toLowerCase()

/** Why a negative keyword is not added a second time. */
export const takenReason = (text: string, matchType: MatchType): string =>
  `“${text}” (${matchType}) is a negative keyword already, or waits to be one`

/** A negative keyword with these words that is there, or on its way. */
const twinOf = (
  txn: Transaction,
  { campaignId }: MappingRow,
  { keyword, matchType, adGroupId }: Extract<Change, { kind: 'add_negative' }>,
) =>
  txn.em.findOne(NegativeKeyword, {
    campaignId,
    adGroupId: adGroupId ?? null,
    text: negativeText(keyword),
    matchType,
    status: { $ne: 'removed' },
  })

/** Whether an item was left out because the campaign has that negative keyword. */
export const isTaken = ({ kind, text, matchType, reason }: ChangeItem): boolean =>
  kind === 'negative_keyword' && matchType !== null && reason === takenReason(text ?? '', matchType)

/** Of a list that was written some time ago, what has become a negative keyword since does not keep the others back. */
async function takenItem(
  txn: Transaction,
  mapping: MappingRow,
  change: PlannedChange,
): Promise<ChangeItem | undefined> {
  if (change.kind !== 'add_negative' || !(await twinOf(txn, mapping, change))) return undefined
  const text = negativeText(change.keyword)
  const { matchType } = change
  return {
    ...blank,
    kind: 'negative_keyword',
    label: negativeLabel(text, matchType),
    text,
    matchType,
    after: 'present',
    state: 'refused',
    reason: takenReason(text, matchType),
  }
}

const negativeLabel = (text: string, matchType: MatchType) => `No ads for “${text}” (${matchType})`

async function newNegative(
  txn: Transaction,
  mapping: MappingRow,
  change: Extract<Change, { kind: 'add_negative' }>,
  field: string,
): Promise<Draft> {
  const { adGroupId = null, matchType } = change
  const { campaignId } = mapping
  const text = negativeText(change.keyword)
  const group = adGroupId === null ? null : await txn.em.findOne(AdGroup, { id: adGroupId, campaignId })
  if (adGroupId !== null && !group) throw notFound('ad group', { field: `${field}.adGroupId` })
  if (await twinOf(txn, mapping, change)) throw new DomainError('CONFLICT', takenReason(text, matchType))
  return {
    item: {
      ...blank,
      kind: 'negative_keyword',
      label: negativeLabel(text, matchType),
      groupId: group?.externalId ?? null,
      text,
      matchType,
      after: 'present',
    },
    adGroupId,
  }
}

async function oldNegative(txn: Transaction, { campaignId }: MappingRow, id: string): Promise<Draft> {
  const negative = await txn.em.findOne(NegativeKeyword, { id, campaignId })
  if (!negative) throw notFound('negative keyword')
  const { adGroupId, text, matchType, externalCriterionId, status } = negative
  if (status !== 'active')
    throw new DomainError('CONFLICT', `The negative keyword is ${status}: there is nothing to remove`)
  const group = adGroupId === null ? null : await txn.em.findOneOrFail(AdGroup, { id: adGroupId })
  return {
    item: {
      ...blank,
      kind: 'negative_keyword',
      label: `Ads for “${text}” (${matchType}) again`,
      subjectId: id,
      groupId: group?.externalId ?? null,
      externalId: externalCriterionId,
      text,
      matchType,
      after: null,
    },
    adGroupId,
  }
}
