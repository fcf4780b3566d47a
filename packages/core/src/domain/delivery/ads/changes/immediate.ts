import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { MatchType } from '../keywords/entities.ts'
import { keywordItem, negativeItem } from '../keywords/queries.ts'
import type { KeywordItem, NegativeItem } from '../keywords/schemas.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { applyChanges, lockChangeSet } from './apply.ts'
import { approve } from './decide.ts'
import type { ChangeSetRow } from './entities.ts'
import { negativeText, takenReason } from './items.ts'
import { type ChangeOrder, planChanges } from './plan.ts'
import { takenNegatives, termsToPush } from './queries.ts'
import type { Change, KeywordChange, NegativesReceipt, NewNegative, PushOrder } from './schemas.ts'

/** The most terms that are pushed in one go, and how often others are looked for where none of them could be. */
const mostTerms = 100
const mostRounds = 10

/**
 * Changes bid or status of a keyword at the platform, at once, under the same guardrails as every plan. Serves
 * `PATCH /tenant/v1/campaigns/:campaignId/keywords/:keywordId`.
 * @throws DomainError as `applyNow`
 */
export async function changeKeyword(
  ctx: Ctx,
  { campaignId, keywordId }: { campaignId: string; keywordId: string },
  { bidMicros, status }: KeywordChange,
): Promise<KeywordItem> {
  const changes: Change[] = []
  if (bidMicros !== undefined) changes.push({ kind: 'keyword_bid', keywordId, bidMicros })
  if (status !== undefined) changes.push({ kind: 'keyword_status', keywordId, status })
  await applyNow(ctx, campaignId, { title: 'Keyword', source: 'immediate', changes })
  return keywordItem(ctx, keywordId)
}

/**
 * Adds a negative keyword here and at the platform. Serves `POST /tenant/v1/campaigns/:campaignId/negative-keywords`.
 * @throws DomainError as `applyNow`
 */
export async function addNegative(ctx: Ctx, campaignId: string, input: NewNegative): Promise<NegativeItem> {
  const changes: Change[] = [{ kind: 'add_negative', ...input }]
  const { items } = await applyNow(ctx, campaignId, {
    title: 'Negative keyword',
    source: 'immediate',
    changes,
  })
  return negativeItem(ctx, items[0]?.subjectId ?? '')
}

/**
 * Removes a negative keyword at the platform and here. Serves
 * `DELETE /tenant/v1/campaigns/:campaignId/negative-keywords/:negativeKeywordId`.
 * @throws DomainError as `applyNow`
 */
export async function removeNegative(
  ctx: Ctx,
  { campaignId, negativeKeywordId }: { campaignId: string; negativeKeywordId: string },
): Promise<void> {
  const changes: Change[] = [{ kind: 'remove_negative', negativeKeywordId }]
  await applyNow(ctx, campaignId, { title: 'Negative keyword', source: 'immediate', changes })
}

/**
 * Makes negative keywords of search terms that people have decided so about, up to a hundred at once: those that are refused do not
 * keep later ones back. Serves `POST /tenant/v1/campaigns/:campaignId/search-terms/push-negatives`.
 * @throws DomainError `NOT_FOUND`; as `applyNow`, but for what is refused, which is listed
 */
export async function pushNegatives(
  ctx: Ctx,
  campaignId: string,
  { matchType }: PushOrder,
): Promise<NegativesReceipt> {
  await requireCampaign(ctx, campaignId)
  const receipt: NegativesReceipt = { pushed: 0, refused: [], changeSetId: null }
  for (let round = 0, after = ''; round < mostRounds; round += 1) {
    const terms = await termsToPush(ctx, campaignId, after, mostTerms)
    const last = terms.at(-1)
    if (last === undefined) break
    await pushTerms(ctx, { campaignId, matchType, terms, receipt })
    if (terms.length < mostTerms || receipt.pushed > 0) break
    after = last
  }
  return receipt
}

async function pushTerms(
  ctx: Ctx,
  at: { campaignId: string; matchType: MatchType; terms: readonly string[]; receipt: NegativesReceipt },
): Promise<void> {
  const { campaignId, matchType, terms, receipt } = at
  const { refused } = receipt
  const taken = await takenNegatives(ctx, { campaignId, matchType, texts: terms.map(negativeText) })
  const changes: Change[] = []
  for (const searchTerm of terms) {
    const text = negativeText(searchTerm)
    const reason = taken.has(text) ? takenReason(text, matchType) : lengthObstacle(searchTerm)
    if (reason !== undefined) refused.push({ searchTerm, reason })
    else changes.push({ kind: 'add_negative', keyword: searchTerm, matchType })
    taken.add(text)
  }
  if (changes.length === 0) return
  const order: ChangeOrder = {
    title: 'Search terms',
    source: 'immediate',
    changes,
    negativeSource: 'search_term_classification',
  }
  const { id, items } = await applyNow(ctx, campaignId, order, { partly: true })
  receipt.changeSetId = id
  for (const { state, text, reason } of items)
    if (state === 'applied') receipt.pushed += 1
    else refused.push({ searchTerm: text ?? '', reason: reason ?? 'It was not done' })
}

const lengthObstacle = (term: string): string | undefined =>
  term.length > 80 || term.split(/\s+/).length > 10
    ? 'A keyword has at most 80 characters and ten words'
    : undefined

interface ApplyHow {
  partly?: boolean
  onPlanned?: (txn: Transaction, set: ChangeSetRow) => Promise<void>
}

/**
 * Plans changes, approves them in the caller's name and does them while the caller waits.
 * @param how `partly`: what is not done is told by its item, not by a refusal; `onPlanned`: what else is done in the transaction that keeps the plan
 * @throws DomainError `UNPROCESSABLE` with `details.reason`: `guardrail`, `failed` or `unknown`, and `details.changeSetId`; `CONFLICT` when
 *   the platform has another value than ours; as `planChanges`
 */
export async function applyNow(
  ctx: Ctx,
  campaignId: string,
  order: ChangeOrder,
  { partly = false, onPlanned }: ApplyHow = {},
): Promise<ChangeSetRow> {
  // Approved by the transaction that keeps it: a process that dies here leaves no plan behind that no one knows of.
  const planned = await planChanges(ctx, campaignId, order, async (txn, set) => {
    await onPlanned?.(txn, set)
    await approve(txn, set, [], { now: true })
  })
  if (planned.status === 'applied') return planned
  if (planned.status === 'refused') return partly ? planned : refuseChange(planned, 'guardrail')
  await applyChanges(ctx, { changeSetId: planned.id }, new AbortController().signal)
  const set = await transact(ctx, (txn) => lockChangeSet(txn, planned.id))
  if (!set) throw notFound('change set')
  const isSettled = set.status === 'applied' || set.status === 'partly_applied' || set.status === 'failed'
  if (!isSettled) return refuseChange(set, 'unknown')
  if (partly || set.status === 'applied') return set
  return refuseFailed(set)
}

/** Says why nothing was done, or not all. @throws DomainError as `applyNow` */
export function refuseFailed(set: ChangeSetRow): never {
  const states = set.items.map(({ state }) => state)
  if (states.includes('drifted')) return refuseChange(set, 'drift')
  const byGuardrail = states.every((state) => state === 'refused' || state === 'applied')
  return refuseChange(set, byGuardrail ? 'guardrail' : 'failed')
}

/** @throws DomainError as `applyNow` */
export function refuseChange(
  { id, items, error }: ChangeSetRow,
  reason: 'guardrail' | 'drift' | 'failed' | 'unknown',
): never {
  const why = items.find((item) => item.reason !== null)?.reason ?? error
  const message = why ?? 'The platform has not answered yet: the change set goes on by itself'
  throw new DomainError(reason === 'drift' ? 'CONFLICT' : 'UNPROCESSABLE', message, {
    details: { reason, changeSetId: id },
  })
}
