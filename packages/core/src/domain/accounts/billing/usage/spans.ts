import { DomainError } from '../../../../kernel/errors.ts'
import type { SubscriptionRow, UsageTerms } from '../entities.ts'

/** A part of a period in which usage was priced alike. */
export interface UsageSpan extends UsageTerms {
  from: Date
  until: Date
}

/** How often the terms may change in one period. */
const mostChanges = 100

type Priced = Pick<SubscriptionRow, 'includedMicros' | 'overageAmount' | 'earlierTerms'>

/** The parts of a period, in order; one where the plan has not changed. */
export function spansOf(
  { includedMicros, overageAmount, earlierTerms }: Priced,
  start: Date,
  end: Date,
): UsageSpan[] {
  const spans: UsageSpan[] = []
  let from = start
  for (const { until, ...terms } of earlierTerms ?? []) {
    const at = new Date(until)
    if (at <= from) continue
    spans.push({ ...terms, from, until: at })
    from = at
  }
  return [...spans, { includedMicros, overageAmount, from, until: end }]
}

/**
 * Gives a subscription other terms from now on; those that it has hold for the usage up to now.
 * @throws DomainError `UNPROCESSABLE` when they have changed too often in this period
 */
export function changeTerms(subscription: SubscriptionRow, terms: UsageTerms, now: Date): void {
  const { includedMicros, overageAmount } = subscription
  if (terms.includedMicros === includedMicros && terms.overageAmount === overageAmount) return
  const earlier = subscription.earlierTerms ?? []
  if (earlier.length >= mostChanges)
    throw new DomainError(
      'UNPROCESSABLE',
      `The plan was changed ${mostChanges} times in this period; wait until the next one`,
    )
  subscription.earlierTerms = [...earlier, { until: now.toISOString(), includedMicros, overageAmount }]
  Object.assign(subscription, terms)
}
