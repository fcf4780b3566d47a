import type { Role } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { negativeText } from '../changes/items.ts'
import type { Change } from '../changes/schemas.ts'
import type { AdviceKind, AdviceStatus, Priority } from './entities.ts'

/** What is known of a campaign when advice is looked for; its figures are of the thirty days up to `to`. */
export interface Situation {
  currency: string
  from: string
  to: string
  dailyBudgetMicros: number | null
  budgetShared: boolean
  /** What the platform's budgets are multiples of, in millionths; undefined where that is not known. */
  budgetUnit: number | undefined
  /** Of all days, and of the last seven. */
  costMicros: number
  conversionMicros: number
  weekCostMicros: number
  weekConversionMicros: number
  keywords: ReadonlyArray<{
    id: string
    text: string
    clicks: number
    costMicros: number
    conversionMicros: number
  }>
  terms: ReadonlyArray<{ term: string; clicks: number; costMicros: number; conversionMicros: number }>
}

/** A recommendation before it is kept. */
export interface AdAdvice {
  kind: AdviceKind
  subject: string
  title: string
  rationale: string
  suggestedAction: string
  estimatedImpact: string
  priority: Priority
  changes: Change[]
}

/** Clicks without a conversion that prove something, as long as they have cost what one conversion costs. */
const enoughClicks = 20
/** A budget is a limit when the last week has used so much of it. */
const limitedShare = 0.95
/** What is suggested for a budget that limits: what an admin may apply without the client. */
const budgetStep = 0.1
/** The most terms of one recommendation. */
const mostTerms = 20

/** AdAdvice by stated rules, without a model: money that brings nothing, and budgets that hold back what brings something. */
export function adAdviceOn(at: Situation): AdAdvice[] {
  const costPer = at.conversionMicros > 0 ? at.costMicros / (at.conversionMicros / 1_000_000) : null
  return [...wastedKeywords(at, costPer), ...wastedSearches(at), ...limitedBudget(at, costPer)]
}

const amount = (micros: number, currency: string) => `${toUsd(Math.round(micros)).toFixed(2)} ${currency}`

function wastedKeywords(at: Situation, costPer: number | null): AdAdvice[] {
  if (costPer === null) return []
  return at.keywords
    .filter((one) => one.conversionMicros === 0 && one.clicks >= enoughClicks && one.costMicros >= costPer)
    .map(({ id, text, clicks, costMicros }): AdAdvice => {
      const spent = amount(costMicros, at.currency)
      return {
        kind: 'wasted_keyword',
        subject: id,
        title: `Pause “${text}”`.slice(0, 200),
        rationale: `“${text}” had ${clicks} clicks for ${spent} without a conversion from ${at.from} to ${at.to}. A conversion of this campaign costs ${amount(costPer, at.currency)}.`,
        suggestedAction: `Pause the keyword “${text}”`,
        estimatedImpact: `${spent} in thirty days for other keywords`,
        priority: costMicros >= 2 * costPer ? 'high' : 'medium',
        changes: [{ kind: 'keyword_status', keywordId: id, status: 'paused' }],
      }
    })
}

function wastedSearches(at: Situation): AdAdvice[] {
  const terms = at.terms.slice(0, mostTerms)
  const cost = terms.reduce((sum, { costMicros }) => sum + costMicros, 0)
  if (terms.length === 0 || cost === 0) return []
  const spent = amount(cost, at.currency)
  const one = terms.length === 1
  return [
    {
      kind: 'wasted_searches',
      subject: 'search_terms',
      title: `Show no ads for ${terms.length} ${one ? 'search' : 'searches'}`,
      rationale: `${terms.length} search ${one ? 'term was' : 'terms were'} sorted as negative. ${one ? 'It' : 'They'} had cost ${spent} without a conversion up to ${at.to}: ${terms.map(({ term }) => `“${term}”`).join(', ')}.`,
      suggestedAction: `Make ${one ? 'it a negative keyword' : 'them negative keywords'} of the campaign (exact)`,
      estimatedImpact: `${spent} saved when people search so again`,
      priority: 'medium',
      // Terms that differ by the width of their spaces only are one keyword.
      changes: [...new Set(terms.map(({ term }) => negativeText(term)))].map((keyword) => ({
        kind: 'add_negative',
        keyword,
        matchType: 'exact',
      })),
    },
  ]
}

function limitedBudget(at: Situation, costPer: number | null): AdAdvice[] {
  const { dailyBudgetMicros: budget, budgetUnit, weekCostMicros, weekConversionMicros, currency } = at
  if (
    budget === null ||
    budgetUnit === undefined ||
    at.budgetShared ||
    costPer === null ||
    weekConversionMicros === 0
  )
    return []
  const share = weekCostMicros / (7 * budget)
  const weekCostPer = weekCostMicros / (weekConversionMicros / 1_000_000)
  if (share < limitedShare || weekCostPer > costPer * 1.05) return []
  const more = Math.floor((budget * (1 + budgetStep)) / budgetUnit) * budgetUnit
  // A tenth of it is less than what the platform counts in.
  if (more <= budget) return []
  return [
    {
      kind: 'limited_budget',
      subject: 'budget',
      title: `Raise the daily budget to ${amount(more, currency)}`,
      rationale: `In the seven days up to ${at.to} the campaign has spent ${Math.round(share * 100)} % of its budget of ${amount(budget, currency)} a day, at ${amount(weekCostPer, currency)} for a conversion; in thirty days it was ${amount(costPer, currency)}.`,
      suggestedAction: `Raise the daily budget from ${amount(budget, currency)} to ${amount(more, currency)}`,
      estimatedImpact: `About ${((7 * (more - budget)) / weekCostPer).toFixed(1)} conversions more in a week, if they cost what they cost now`,
      priority: 'high',
      changes: [{ kind: 'daily_budget', dailyBudgetMicros: more }],
    },
  ]
}

/** A step that an admin may apply without the client. */
export const smallStep = budgetStep

/**
 * What a decision makes of a recommendation.
 * @throws DomainError `FORBIDDEN` for a role that may not; `CONFLICT` in a status that knows no such step
 */
export function nextStatus(
  role: Role | undefined,
  from: AdviceStatus,
  to: 'skipped' | 'dm_approved' | 'client_approved' | 'client_rejected',
): AdviceStatus {
  const ofClient = to === 'client_approved' || to === 'client_rejected'
  const may = role === 'admin' || role === (ofClient ? 'reviewer' : 'member')
  if (!may)
    throw new DomainError('FORBIDDEN', `${ofClient ? 'A reviewer' : 'The team'} or an admin sets ${to}`)
  const fits = ofClient ? from === 'dm_approved' : from === 'pending' || from === 'dm_reviewing'
  if (!fits) throw new DomainError('CONFLICT', `The recommendation is ${from}`, { details: { status: from } })
  return to === 'client_rejected' ? 'dm_reviewing' : to
}
