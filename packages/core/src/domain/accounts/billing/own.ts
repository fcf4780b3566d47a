import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { formatAmount } from './amounts.ts'
import { finalStates, Subscription, type SubscriptionRow } from './entities.ts'
import { informProvider } from './inform-provider.ts'
import type { OwnSubscription, PlanChange, UsageReport } from './own-schemas.ts'
import { endSubscription } from './periods/end.ts'
import { discountOf } from './plans/coupons.ts'
import { choosePlan, choosePlanById } from './plans/plans.ts'
import { changeSubscription, currentSubscription } from './subscriptions.ts'
import { usageSoFar } from './usage/queries.ts'
import { rateUsage } from './usage/rating.ts'

/** The tenant's subscription. Serves `GET /tenant/v1/billing/subscription`. @throws DomainError `NOT_FOUND` without one */
export function ownSubscription(ctx: Ctx): Promise<OwnSubscription> {
  const tenantId = oneTenant(ctx)
  return transact(ctx, async (txn) => {
    const current =
      (await txn.em.findOne(Subscription, { tenantId, status: { $ne: 'cancelled' } })) ??
      (await txn.em.findOne(Subscription, { tenantId }, { orderBy: { id: 'desc' } }))
    if (!current) throw none()
    return toOwn(current)
  })
}

/**
 * Moves the tenant to another plan at once; the difference is billed, or becomes credit. A cancellation that was asked for is taken
 * back. Serves `POST /tenant/v1/billing/subscription/change`.
 * @throws DomainError `NOT_FOUND` without a subscription; `VALIDATION_ERROR` on `planId` or `plan`; `CONFLICT` for the plan that it has;
 *   `UNPROCESSABLE` while the subscription has not begun, a payment is missing, or the payment provider cannot follow
 */
export function changeOwnPlan(ctx: Ctx, { planId, plan, cycle }: PlanChange): Promise<OwnSubscription> {
  const tenantId = oneTenant(ctx)
  if ((planId === undefined) === (plan === undefined)) throw invalid('planId', 'Give either planId or plan')
  return transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    if (!subscription) throw none()
    const { region, status } = subscription
    const usual = subscription.cycle === 'quarterly' ? 'monthly' : subscription.cycle
    const choice =
      planId === undefined
        ? await choosePlan(txn, { name: plan ?? '', region, cycle: cycle ?? usual })
        : await choosePlanById(txn, planId, region)
    if (choice.region !== region)
      throw invalid('planId', `This is a plan of the region ${choice.region}; choose one of ${region}`)
    if (status !== 'active')
      throw new DomainError('UNPROCESSABLE', `The subscription is ${status}: pay what is open first`)
    if (choice.priceId === subscription.priceId)
      throw new DomainError('CONFLICT', `The tenant has the plan ${choice.label}, ${choice.cycle}, already`)
    requireChangeable(txn, subscription)
    const before = view(subscription)
    subscription.cancelsAtPeriodEnd = false
    await changeSubscription(txn, subscription, choice)
    txn.audit({
      tenantId,
      resourceType: 'subscription',
      resourceId: subscription.id,
      before,
      after: view(subscription),
    })
    return toOwn(subscription)
  })
}

/** @throws DomainError `UNPROCESSABLE` where the payment provider cannot follow */
function requireChangeable(txn: Transaction, subscription: SubscriptionRow): void {
  const { provider, providerState, cancelsAtPeriodEnd } = subscription
  const { payments } = txn.services
  if (provider === null || provider !== payments?.name) return
  if (providerState && finalStates.has(providerState))
    throw new DomainError('UNPROCESSABLE', 'The subscription has ended at the payment provider')
  if (cancelsAtPeriodEnd && payments.cancelsForGood)
    throw new DomainError(
      'UNPROCESSABLE',
      'The subscription was cancelled, and the payment provider cannot take that back: it ends with its period',
    )
}

/**
 * Ends the tenant's subscription with the period that is paid for; one that was never paid for ends with its trial or at once.
 * Asked again it changes nothing. Serves `POST /tenant/v1/billing/subscription/cancel`.
 * @throws DomainError `NOT_FOUND` without a subscription
 */
export function cancelOwn(ctx: Ctx): Promise<OwnSubscription> {
  const tenantId = oneTenant(ctx)
  return transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    if (!subscription) throw none()
    const before = view(subscription)
    if (subscription.cancelsAtPeriodEnd) return toOwn(subscription)
    subscription.cancelsAtPeriodEnd = true
    subscription.updatedOn = txn.clock.date()
    if (subscription.nextBillingAt === null && subscription.status !== 'trialing')
      await endSubscription(txn, subscription)
    else informProvider(txn, subscription, { what: 'end' })
    txn.audit({
      tenantId,
      resourceType: 'subscription',
      resourceId: subscription.id,
      before,
      after: view(subscription),
    })
    return toOwn(subscription)
  })
}

/** What agents have spent that is not billed yet. Serves `GET /tenant/v1/billing/usage`. @throws DomainError `NOT_FOUND` */
export async function ownUsage(ctx: Ctx): Promise<UsageReport> {
  const { includedUsd, overageAmount, currency, ...subscription } = await ownSubscription(ctx)
  const { periodStart, periodEnd } = subscription
  const start = periodStart ?? ctx.clock.date()
  const includedMicros = includedUsd === null ? null : Math.round(includedUsd * 1_000_000)
  const from = subscription.startedAt ?? start
  const usage = await usageSoFar(ctx, oneTenant(ctx), { from, start })
  const rated = rateUsage(usage, { includedMicros, overageAmount })
  const sum = (of: 'micros' | 'amount') => rated.reduce((total, one) => total + one[of], 0)
  const overage = includedMicros === null ? 0 : sum('amount')
  return {
    periodStart,
    periodEnd,
    currency,
    includedUsd,
    usedUsd: toUsd(sum('micros')),
    overageAmount: overage,
    overageFormatted: formatAmount(overage, currency),
    kinds: rated.map(({ kind, isLate, runs, micros }) => ({
      kind,
      late: isLate,
      runs,
      costUsd: toUsd(micros),
      costMicros: micros,
    })),
  }
}

const none = () => new DomainError('NOT_FOUND', 'The tenant has no subscription')

function view({ planLabel, cycle, priceAmount, cancelsAtPeriodEnd }: SubscriptionRow) {
  return { plan: planLabel, cycle, priceAmount, cancelsAtPeriodEnd }
}

function toOwn(row: SubscriptionRow): OwnSubscription {
  const { id, plan, planLabel, status, cycle, region, currency, priceAmount, creditAmount } = row
  const discount = discountOf(row)
  return {
    id,
    plan,
    planLabel,
    status,
    billingCycle: cycle,
    region,
    currency,
    priceAmount,
    discount,
    priceFormatted: formatAmount(priceAmount - discount, currency),
    creditAmount,
    includedUsd: row.includedMicros === null ? null : toUsd(row.includedMicros),
    overageAmount: row.overageAmount,
    trialEndsAt: row.trialEndsAt,
    startedAt: row.startedAt,
    periodStart: row.periodStartsAt,
    periodEnd: row.nextBillingAt,
    nextBillingDate: row.cancelsAtPeriodEnd ? null : row.nextBillingAt,
    cancelsAtPeriodEnd: row.cancelsAtPeriodEnd,
    cancelledAt: row.cancelledAt,
    pastDueSince: row.pastDueSince,
  }
}
