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
import { includedIn, rateSpans, type Usage } from './usage/rating.ts'
import { spansOf } from './usage/spans.ts'

/** The tenant's subscription. Serves `GET /tenant/v1/billing/subscription`. @throws DomainError `NOT_FOUND` without one */
export async function ownSubscription(ctx: Ctx): Promise<OwnSubscription> {
  return toOwn(await latest(ctx))
}

/** The current one, or else the last one. */
function latest(ctx: Ctx): Promise<SubscriptionRow> {
  const tenantId = oneTenant(ctx)
  return transact(ctx, async (txn) => {
    const current =
      (await txn.em.findOne(Subscription, { tenantId, status: { $ne: 'cancelled' } })) ??
      (await txn.em.findOne(Subscription, { tenantId }, { orderBy: { id: 'desc' } }))
    if (!current) throw none()
    return current
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
  const subscription = await latest(ctx)
  const { periodStartsAt, nextBillingAt, currency, startedAt } = subscription
  const start = periodStartsAt ?? ctx.clock.date()
  const spans = spansOf(subscription, start, nextBillingAt ?? ctx.clock.date())
  const used = await usageSoFar(ctx, oneTenant(ctx), { from: startedAt ?? start, start }, spans)
  const rated = rateSpans(used)
  const included = includedIn(spans)
  const overage = rated
    .filter(({ includedMicros }) => includedMicros !== null)
    .reduce((total, { usage }) => total + usage.reduce((sum, { amount }) => sum + amount, 0), 0)
  const kinds = byKind(rated.flatMap(({ usage }) => usage))
  return {
    periodStart: periodStartsAt,
    periodEnd: nextBillingAt,
    currency,
    includedUsd: included === null ? null : toUsd(included),
    usedUsd: toUsd(kinds.reduce((sum, { micros }) => sum + micros, 0)),
    overageAmount: overage,
    overageFormatted: formatAmount(overage, currency),
    kinds: kinds.map(({ kind, isLate, runs, micros }) => ({
      kind,
      late: isLate,
      runs,
      costUsd: toUsd(micros),
      costMicros: micros,
    })),
  }
}

/** Adds up what has the same kind, wherever in the period; what is late comes last. */
function byKind(usage: readonly Usage[]): Usage[] {
  const sums = new Map<string, Usage>()
  for (const { kind, isLate, runs, micros } of usage) {
    const key = `${isLate ? 1 : 0} ${kind}`
    const sum = sums.get(key) ?? { kind, isLate, runs: 0, micros: 0 }
    sums.set(key, { ...sum, runs: sum.runs + runs, micros: sum.micros + micros })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
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
