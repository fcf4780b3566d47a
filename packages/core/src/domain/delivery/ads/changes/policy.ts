import { toUsd } from '../../../../kernel/money.ts'
import { sha256Hex } from '../../../../platform/crypto/hash.ts'
import { decimalsOf } from '../../../accounts/billing/amounts.ts'
import type { MatchType } from '../keywords/entities.ts'
import type { LiveBudget } from '../platform.ts'
import type { ChangeItem, ChangeValue, PlannedAd } from './entities.ts'

/** A budget or a bid is changed by at most this share of what it was. */
const usualStep = 0.5
/** For so long, steps are measured from where the first of them began, so that many small ones are none that is larger, milliseconds. */
export const stepMs = 86_400_000
/** The largest amount that any platform takes, in millionths. */
const mostMicros = 1_000_000_000_000

/** How long a turn counts as alive, milliseconds; longer than its requests take together. */
export const applyLeaseMs = 5 * 60_000
/** Turns without success before a person is asked. */
export const mostTries = 6

const waits = [15, 60, 120, 300, 900, 1_800]
/** How long a set waits after so many turns that came to nothing, milliseconds. */
export const retryMs = (failures: number): number =>
  (waits[Math.min(failures, waits.length) - 1] ?? 15) * 1_000

/**
 * How long a platform may be busy with a request whose answer was lost, milliseconds. An ad that is made a second time is a second ad, so
 * that it is looked for after that.
 */
const lateMs = 120_000
/** How long a set waits that may have been sent, milliseconds. */
export const lookUpMs = (failures: number, items: readonly ChangeItem[]): number =>
  Math.max(retryMs(failures), items.some(isNewAd) ? lateMs : 0)

const isNewAd = ({ kind, after }: ChangeItem): boolean => kind === 'ad' && after !== null

/** What guardrails know beside the item itself, as the platform has it now. */
export interface Guarded {
  currency: string
  /** Of the campaign; undefined where it is not known. */
  budget: LiveBudget | undefined
  /** Bid of the ad group for keywords without one of their own. */
  groupBidMicros: number | null
  /** Texts of keywords that are enabled, where a negative keyword would apply. */
  keywords: readonly string[]
  /** The values that our sets have lately changed it from. */
  starts: readonly number[]
  /** A value is put back that was there: the step is as large as it was. */
  isUndo: boolean
  /** By how much of what it was a budget or bid may change at most; default half. */
  mostStep?: number | undefined
}

/**
 * Why a change is not let through; undefined when it is, as far as the limit of the account lets it. What is not known counts against it.
 * @param item with the value that the platform has now as `before`
 */
export function obstacleTo(item: ChangeItem, known: Guarded): string | undefined {
  switch (item.kind) {
    case 'keyword_bid':
      return bidObstacle(item, known)
    case 'daily_budget':
      return budgetObstacle(item, known)
    case 'campaign_status':
      return item.before === null ? 'The campaign is not there any more' : undefined
    case 'keyword_status':
      return item.before === null ? 'The keyword is not there any more' : undefined
    case 'negative_keyword':
      return item.after === null ? undefined : negativeObstacle(item, known.keywords)
    case 'ad':
      return item.after === null || item.before === null
        ? undefined
        : `The ad group has an ad with these texts and this address already: it is ${item.before}`
  }
}

/** Whether nothing has to be done. An ad that is there was made by someone else, so that it is none of a plan's. */
export const isSoAlready = (item: ChangeItem): boolean => item.before === item.after && !isNewAd(item)

function bidObstacle({ before, after }: ChangeItem, known: Guarded): string | undefined {
  const { budget, groupBidMicros, currency } = known
  const dailyBudgetMicros = budget?.dailyBudgetMicros ?? null
  const present = before ?? groupBidMicros
  const obstacle = moneyObstacle(present, after, known, 'bid')
  if (obstacle) return obstacle
  if (dailyBudgetMicros === null) return 'The campaign’s daily budget is not known, so no bid is changed'
  return (after as number) > dailyBudgetMicros
    ? `A bid of ${money(after, currency)} is above the campaign’s daily budget of ${money(dailyBudgetMicros, currency)}`
    : undefined
}

function budgetObstacle({ before, after }: ChangeItem, known: Guarded): string | undefined {
  if (known.budget?.budgetShared) return 'The budget is shared: it would move other campaigns too'
  return moneyObstacle(before, after, known, 'daily budget')
}

/** Where no limit is known, nothing that costs more is done. */
const noLimit = 'No daily limit is known for this account'

/**
 * Why a change would cost more on a day than the limit of the account lets it; undefined when it does not.
 * @param moreMicros what it adds; null where that is not known
 * @param room what the limit leaves, `roomMicros`: null where no limit is known; and what is said where that is too little, if it was enough before
 */
export function roomObstacle(
  moreMicros: number | null,
  { roomMicros, currency, usedUp }: { roomMicros: number | null; currency: string; usedUp?: string },
): string | undefined {
  if (moreMicros === null) return 'The campaign’s daily budget is not known'
  if (moreMicros <= 0) return undefined
  if (roomMicros === null) return noLimit
  if (moreMicros <= roomMicros) return undefined
  const left = money(Math.max(0, roomMicros), currency)
  return (
    usedUp ?? `It needs ${money(moreMicros, currency)} a day more; the limit of the account leaves ${left}`
  )
}

function moneyObstacle(
  before: ChangeValue,
  after: ChangeValue,
  { currency, isUndo, starts, mostStep = usualStep }: Guarded,
  what: string,
): string | undefined {
  if (typeof after !== 'number' || !Number.isSafeInteger(after) || after <= 0 || after > mostMicros)
    return `That is no amount for a ${what}`
  if (typeof before !== 'number' || before <= 0) return `The present ${what} is not known`
  // Upwards from the lowest, downwards from the highest: what someone has moved far at the platform can still be moved back.
  const from = after > before ? Math.min(before, ...starts) : Math.max(before, ...starts)
  const step = Math.abs(after - from) / from
  if (step <= mostStep + 1e-9 || isUndo) return undefined
  const within = from === before ? '' : ' within a day'
  return `The ${what} would change from ${money(from, currency)} to ${money(after, currency)}, which is more than ${mostStep * 100} %${within}`
}

/** An amount to its last digit, with at least as many decimals as its currency has, such as `0.125 USD` or `1500 JPY`. */
export function money(micros: ChangeValue, currency: string): string {
  if (typeof micros !== 'number') return micros ?? 'nothing'
  const [whole = '', fraction = ''] = toUsd(micros).toFixed(6).split('.')
  const decimals = fraction.replace(/0+$/, '').padEnd(decimalsOf(currency), '0')
  return `${whole}${decimals && `.${decimals}`} ${currency}`
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Whether a negative keyword would keep ads of a keyword from being shown. */
export function blocks(negative: { text: string; matchType: MatchType }, keyword: string): boolean {
  const [ours, theirs] = [wordsOf(negative.text), wordsOf(keyword)]
  if (ours.length === 0) return true
  if (negative.matchType === 'exact') return ours.join(' ') === theirs.join(' ')
  if (negative.matchType === 'phrase') return ` ${theirs.join(' ')} `.includes(` ${ours.join(' ')} `)
  return ours.every((word) => theirs.includes(word))
}

function negativeObstacle({ text, matchType }: ChangeItem, keywords: readonly string[]): string | undefined {
  if (text === null || matchType === null || wordsOf(text).length === 0) return 'That is no keyword'
  const blocked = keywords.find((keyword) => blocks({ text, matchType }, keyword))
  return blocked === undefined ? undefined : `It would block the keyword “${blocked}”`
}

/** What a person agrees to: another account, campaign, item or value gives another digest. */
export function digestOf(
  at: { accountId: string; externalCampaignId: string; currency: string },
  items: readonly ChangeItem[],
): string {
  const plan = items.map((item) => [
    item.kind,
    item.groupId,
    item.externalId,
    item.text,
    item.matchType,
    item.before,
    item.after,
    item.state === 'refused',
    ...(item.ad ? adParts(item, item.ad) : []),
  ])
  return sha256Hex(JSON.stringify([at.accountId, at.externalCampaignId, at.currency, plan]))
}

/** Every letter of an ad is agreed to, and which text it is made of. */
const adParts = (
  { subjectId }: ChangeItem,
  { contentHash, finalUrl, headlines, descriptions }: PlannedAd,
): unknown[] => [subjectId, contentHash, finalUrl, headlines, descriptions]
