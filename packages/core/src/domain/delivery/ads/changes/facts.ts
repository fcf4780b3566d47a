import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import type { MappingRow } from '../entities.ts'
import type {
  AdChanges,
  CampaignAddress,
  LiveBudget,
  LiveKeyword,
  LiveState,
  LiveValue,
} from '../platform.ts'
import { AdLimit, type ChangeItem } from './entities.ts'
import { noteRunning } from './limits.ts'
import { type Guarded, stepMs } from './policy.ts'
import { changedSince } from './queries.ts'

/** Whose campaign is asked about, and how. */
interface FactsAt {
  mapping: MappingRow
  changes: AdChanges
  call: PlatformCall
}

/** What guardrails measure changes by, as the platform has it at this moment: what we have kept of it may be old. */
export interface LiveFacts extends LiveState {
  mapping: MappingRow
  keywords: readonly LiveKeyword[]
  /** What our sets have changed within the time that a step is measured over. */
  recent: readonly ChangeItem[]
  /** What the limit of the account leaves; null where none is known. Asked for only where something may cost more. */
  roomMicros: number | null
}

/**
 * Reads everything that guardrails have to know of some items, once for a plan and once more before it is applied.
 * @throws PlatformError where the platform does not say it: then nothing is let through
 */
export async function readFacts(ctx: Ctx, at: FactsAt, items: readonly ChangeItem[]): Promise<LiveFacts> {
  const { mapping, changes, call } = at
  const live = await changes.live(call, addressAt(mapping), items)
  const addsNegative = items.some(isNewNegative)
  return {
    ...live,
    mapping,
    keywords: addsNegative ? ((await changes.keywords?.(call, addressAt(mapping))) ?? []) : [],
    recent: await changedSince(ctx, mapping, new Date(ctx.clock.now() - stepMs)),
    roomMicros: await roomOf(ctx, at, items),
  }
}

export const addressAt = (mapping: MappingRow): CampaignAddress => ({
  account: { id: mapping.accountId, loginId: mapping.loginAccountId },
  campaignId: mapping.externalCampaignId,
})

async function roomOf(
  ctx: Ctx,
  { mapping, changes, call }: FactsAt,
  items: readonly ChangeItem[],
): Promise<number | null> {
  if (!items.some(({ kind }) => kind === 'daily_budget' || kind === 'campaign_status')) return null
  const { tenantId, platform, accountId } = mapping
  const limit = await transact(ctx, (txn) => txn.em.findOne(AdLimit, { tenantId, platform, accountId }))
  if (!limit || limit.currency !== mapping.currency) return null
  const running = await changes.dailySpend(call, addressAt(mapping).account)
  await noteRunning(ctx, mapping, running)
  return limit.dailyCapMicros - running
}

const isNewNegative = ({ kind, after }: ChangeItem): boolean => kind === 'negative_keyword' && after !== null

/**
 * What guardrails know about one item.
 * @param items of the whole set
 * @param now of the item
 */
export function guardedOf(
  { mapping, budget, keywords, recent }: LiveFacts,
  { item, now, items }: { item: ChangeItem; now: LiveValue | undefined; items: readonly ChangeItem[] },
  { isUndo, mostStep }: Pick<Guarded, 'isUndo' | 'mostStep'>,
): Guarded {
  const groupBidMicros = now?.groupBidMicros ?? null
  const starts = recent
    .filter((one) => isSameTarget(one, item))
    .map(({ before }) => before ?? groupBidMicros)
    .filter((before) => typeof before === 'number')
  return {
    currency: mapping.currency,
    budget,
    groupBidMicros,
    keywords: isNewNegative(item) ? keywordsAt(item.groupId, [...keywords, ...enabledBy(items)]) : [],
    starts,
    isUndo,
    mostStep,
  }
}

const isSameTarget = (one: ChangeItem, { kind, groupId, externalId }: ChangeItem): boolean =>
  one.kind === kind && one.groupId === groupId && (kind !== 'keyword_bid' || one.externalId === externalId)

/** The keywords that a set enables itself. */
const enabledBy = (items: readonly ChangeItem[]): LiveKeyword[] =>
  items
    .filter(
      ({ kind, after, state }) => kind === 'keyword_status' && after === 'enabled' && state === 'planned',
    )
    .map(({ groupId, text }) => ({ groupId: groupId ?? '', text: text ?? '' }))

/** Texts of keywords where a negative keyword would apply. @param groupId null: in the whole campaign */
const keywordsAt = (groupId: string | null, keywords: readonly LiveKeyword[]): string[] =>
  keywords.filter((one) => groupId === null || one.groupId === groupId).map(({ text }) => text)

/**
 * By how much items that were just applied have changed what their campaign may spend on a day, in millionths.
 * @param at before them: whether the campaign runs, and its daily budget
 */
export function shiftOf(
  items: readonly ChangeItem[],
  { runs, dailyBudgetMicros }: { runs: boolean; dailyBudgetMicros: number },
): number {
  const applied = items.filter(({ state }) => state === 'applied')
  const budget = applied.find(({ kind }) => kind === 'daily_budget')
  const status = applied.find(({ kind }) => kind === 'campaign_status')
  const [ranWith, runsWith] = [budget?.before, budget?.after].map((micros) =>
    typeof micros === 'number' ? micros : dailyBudgetMicros,
  )
  const [ran, runsNow] = status ? [status.before === 'enabled', status.after === 'enabled'] : [runs, runs]
  return (runsNow ? (runsWith ?? 0) : 0) - (ran ? (ranWith ?? 0) : 0)
}

/** What an item may add to what is spent on a day; null where that is not known. */
export function moreOf({ kind, before, after }: ChangeItem, budget: LiveBudget | undefined): number | null {
  if (kind === 'daily_budget')
    return typeof before === 'number' && typeof after === 'number' ? Math.max(0, after - before) : null
  return kind === 'campaign_status' && after === 'enabled' ? (budget?.dailyBudgetMicros ?? null) : 0
}
