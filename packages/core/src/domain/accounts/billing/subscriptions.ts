import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { addDays, dayIn, lastOfMonth, startOfDay } from '../../../kernel/periods.ts'
import { flushOnce } from '../../../kernel/transact.ts'
import { Tenant } from '../tenants/entities.ts'
import { Subscription, type SubscriptionRow } from './entities.ts'
import { informProvider } from './inform-provider.ts'
import { applyWaitingJob } from './jobs.ts'
import { cycleFrom } from './periods/dates.ts'
import { discountOf, redeemCoupon } from './plans/coupons.ts'
import type { PlanChoice } from './plans/plans.ts'
import { billChange, type ChangeInvoice, restOf } from './proration.ts'
import { changeTerms } from './usage/spans.ts'

const noDiscount = { couponId: null, discountPercent: null, discountAmount: null }

export interface NewSubscription {
  /** Default: a new one. */
  id?: string
  tenantId: string
  choice: PlanChoice
  /** Code of a coupon, as a person wrote it. */
  coupon?: string
  provider?: { name: string; orderId: string; subscriptionId: string }
}

/**
 * Opens a tenant's subscription, and redeems its coupon. It is `pending` until it is activated or its trial starts, and
 * nothing is billed before.
 * @throws DomainError `VALIDATION_ERROR` on `coupon`; `CONFLICT` when the tenant has a subscription
 */
export async function openSubscription(txn: Transaction, input: NewSubscription): Promise<SubscriptionRow> {
  const { tenantId, choice, provider } = input
  const taken = new DomainError('CONFLICT', 'The tenant has a subscription; cancel or change it')
  if (await currentSubscription(txn, tenantId)) throw taken
  const discount =
    input.coupon === undefined
      ? noDiscount
      : await redeemCoupon(txn, { code: input.coupon, tenantId, choice })
  const now = txn.clock.date()
  const { plan, label, priceId, region, currency, amount, cycle, includedMicros, overageAmount } = choice
  const subscription = txn.em.create(Subscription, {
    id: input.id ?? txn.newId(),
    tenantId,
    plan,
    planLabel: label,
    priceId,
    region,
    currency,
    priceAmount: amount,
    cycle,
    status: 'pending',
    ...discount,
    includedMicros,
    overageAmount,
    earlierTerms: null,
    trialEndsAt: null,
    startedAt: null,
    periodStartsAt: null,
    nextBillingAt: null,
    cancelledAt: null,
    pastDueSince: null,
    provider: provider?.name ?? null,
    providerOrderId: provider?.orderId ?? null,
    providerSubscriptionId: provider?.subscriptionId ?? null,
    providerState: null,
    providerStateOn: null,
    createdOn: now,
    updatedOn: now,
  })
  await flushOnce(txn, taken)
  if (provider) {
    const told = { provider: provider.name, providerSubscriptionId: provider.subscriptionId }
    txn.enqueue(applyWaitingJob, { tenantId, payload: told })
  }
  return subscription
}

/** A tenant's subscription that is not cancelled, locked until the commit; undefined when there is none. */
export async function currentSubscription(
  txn: Transaction,
  tenantId: string,
): Promise<SubscriptionRow | undefined> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const where = { tenantId, status: { $ne: 'cancelled' as const } }
  return (await txn.em.findOne(Subscription, where, { lockMode, refresh: true })) ?? undefined
}

/**
 * Begins the billing of a tenant's subscription now: the next billing date is the first day of the next month in the
 * tenant's zone. Of an active one nothing changes. Says nothing about the tenant's own status.
 * @throws DomainError `BAD_REQUEST` when the tenant has no subscription
 */
export async function activateSubscription(txn: Transaction, tenantId: string): Promise<SubscriptionRow> {
  const subscription = await currentSubscription(txn, tenantId)
  if (!subscription) throw new DomainError('BAD_REQUEST', 'The tenant has no active subscription')
  // A period that was begun goes on.
  if (subscription.status === 'past_due' && subscription.nextBillingAt !== null)
    subscription.status = 'active'
  else if (subscription.status !== 'active') await startPeriodNow(txn, subscription, subscription.startedAt)
  subscription.pastDueSince = null
  return subscription
}

/**
 * Begins the billing of a subscription now, also of one that was paid for while its tenant was still being set up: the next
 * billing date is the first day of the next month in the tenant's zone.
 * @param startedAt what is kept as its start; default: now
 */
export async function startPeriodNow(
  txn: Transaction,
  subscription: SubscriptionRow,
  startedAt: Date | null = null,
): Promise<void> {
  const now = txn.clock.date()
  const { timezone } = await txn.em.findOneOrFail(Tenant, { id: subscription.tenantId })
  subscription.status = 'active'
  subscription.startedAt = startedAt ?? now
  subscription.periodStartsAt = now
  subscription.nextBillingAt = startOfNextMonth(now, timezone)
  subscription.earlierTerms = null
  subscription.trialEndsAt = null
  subscription.updatedOn = now
}

/**
 * Notes that a payment provider began to bill a subscription at an instant, which may be earlier than what was known: the period that is worked
 * in follows from it, unless a later one was billed already.
 */
export async function beginBillingAt(
  txn: Transaction,
  subscription: SubscriptionRow,
  at: Date,
): Promise<void> {
  const { startedAt, periodStartsAt, tenantId } = subscription
  const isFirstPeriod = periodStartsAt?.getTime() === startedAt?.getTime()
  subscription.startedAt = at
  subscription.trialEndsAt = null
  if (subscription.status !== 'cancelled' && subscription.status !== 'past_due')
    subscription.status = 'active'
  subscription.updatedOn = txn.clock.date()
  if (!isFirstPeriod) return
  const { timezone } = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  subscription.periodStartsAt = at
  subscription.nextBillingAt = startOfNextMonth(at, timezone)
}

/** True when a cycle is paid for, or costs nothing after the discount. */
export function isPaidFor(subscription: SubscriptionRow): boolean {
  return subscription.status === 'active' || discountOf(subscription) >= subscription.priceAmount
}

/**
 * Moves a subscription to another plan and price at once; what was discounted from the old one ends. Of a period that is paid for
 * the rest is credited and charged again at the new price. The dates stay, unless the cycle is another: it begins with this month
 * then. The tenant has the agents of the new plan from now on, beside those that it has.
 * @returns what it bills; undefined when nothing
 * Usage up to now is priced as it was until now.
 * @throws DomainError `UNPROCESSABLE` when a period is paid for in another currency, or the plan was changed too often
 */
export async function changeSubscription(
  txn: Transaction,
  subscription: SubscriptionRow,
  choice: PlanChoice,
): Promise<ChangeInvoice | undefined> {
  const { plan, label, priceId, region, currency, amount, cycle, includedMicros, overageAmount } = choice
  const now = txn.clock.date()
  const terms = { includedMicros, overageAmount }
  const price = { plan, planLabel: label, priceId, region, currency, priceAmount: amount, cycle }
  const tenant = await txn.em.findOneOrFail(Tenant, { id: subscription.tenantId })
  const before = restOf(subscription, now)
  if (before && currency !== subscription.currency)
    throw new DomainError(
      'UNPROCESSABLE',
      `The present period is paid for in ${subscription.currency}: a plan in ${currency} needs a subscription of its own`,
    )
  const isNewCycle = before && cycle !== subscription.cycle
  if (before) changeTerms(subscription, terms, now)
  Object.assign(subscription, price, terms, noDiscount, { updatedOn: now })
  if (isNewCycle) {
    const { start, end } = cycleFrom(now, cycle, tenant.timezone)
    subscription.periodStartsAt = start
    subscription.nextBillingAt = end
  }
  const billed = before && (await billChange(txn, subscription, { before, after: restOf(subscription, now) }))
  informProvider(txn, subscription, { what: 'price', prorate: true })
  tenant.plan = plan
  tenant.updatedOn = now
  await txn.em.flush()
  await txn.services.tenantAgents.provision(txn, tenant.id)
  return billed
}

/** Takes a percentage off every cycle, in place of an earlier discount. @throws DomainError `VALIDATION_ERROR` on `value` */
export function setDiscount(txn: Transaction, subscription: SubscriptionRow, percent: number): void {
  if (!Number.isInteger(percent) || percent < 0 || percent > 100)
    throw invalid('value', 'A discount is a whole percentage from 0 to 100')
  Object.assign(subscription, noDiscount, { updatedOn: txn.clock.date() })
  if (percent > 0) subscription.discountPercent = percent
  informProvider(txn, subscription, { what: 'price' })
}

/** The instant at which the month after `instant` begins in a zone. */
function startOfNextMonth(instant: Date, timeZone: string): Date {
  return startOfDay(addDays(lastOfMonth(dayIn(instant, timeZone)), 1), timeZone)
}
