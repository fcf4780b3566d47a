import type { SubscriptionRow } from '../entities.ts'
import { discountOf } from '../plans/coupons.ts'
import type { Item } from './totals.ts'

type Priced = Pick<
  SubscriptionRow,
  'planLabel' | 'cycle' | 'priceAmount' | 'currency' | 'discountPercent' | 'discountAmount'
>

/** One cycle of a plan, and what is discounted from it. */
export function planItems(subscription: Priced, period?: { start: Date; end: Date }): Item[] {
  const { planLabel, cycle, priceAmount, discountPercent } = subscription
  const span = period && { periodStart: period.start, periodEnd: period.end }
  const discount = discountOf(subscription)
  const plan: Item = {
    kind: 'plan',
    description: `Plan ${planLabel}, ${cycle}`,
    amount: priceAmount,
    ...span,
  }
  if (discount === 0) return [plan]
  const rate = discountPercent === null ? '' : ` of ${discountPercent} %`
  return [plan, { kind: 'discount', description: `Discount${rate}`, amount: -discount, ...span }]
}
