import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { lockTenant, setStatus } from '../tenants/status.ts'
import type { SubscriptionRow } from './entities.ts'
import { closeInvoices } from './invoices/invoices.ts'
import { choosePlan } from './plans/plans.ts'
import type { BillingOverride, OverrideReceipt } from './schemas.ts'
import { restoreStanding } from './standing.ts'
import {
  activateSubscription,
  changeSubscription,
  currentSubscription,
  setDiscount,
} from './subscriptions.ts'
import { startTrial } from './trials.ts'

/**
 * Does by hand what billing would do by itself or not at all. Serves `POST /admin/v1/tenants/:tenantId/billing/override`.
 * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` without a subscription; `VALIDATION_ERROR` on `value`; `UNPROCESSABLE` for a
 *   trial of a subscription that is paid for, or of a tenant that is shut
 */
export function overrideBilling(
  ctx: Ctx,
  tenantId: string,
  { action, value, reason }: BillingOverride,
): Promise<OverrideReceipt> {
  return transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    const tenant = await lockTenant(txn, tenantId)
    if (!subscription) throw new DomainError('BAD_REQUEST', 'The tenant has no subscription')
    const before = { ...view(subscription), tenantStatus: tenant.status }
    await apply(txn, subscription, action, value)
    await txn.em.flush()
    txn.audit({
      tenantId,
      resourceType: 'subscription',
      resourceId: subscription.id,
      before,
      after: { ...view(subscription), tenantStatus: tenant.status, action, reason },
      action: 'billing.override',
    })
    return { tenantId, action, applied: true as const }
  })
}

async function apply(
  txn: Transaction,
  subscription: SubscriptionRow,
  action: BillingOverride['action'],
  value: BillingOverride['value'],
): Promise<void> {
  switch (action) {
    case 'extend_trial':
      return startTrial(txn, subscription, wholeNumber(value, 365, 'days, 1 to 365'))
    case 'apply_discount':
      return setDiscount(txn, subscription, wholeNumber(value, 100, 'a percentage, 0 to 100', 0))
    case 'mark_paid':
      if (value !== undefined) throw invalid('value', 'mark_paid takes no value')
      return markPaid(txn, subscription)
    case 'change_plan':
      return changePlan(txn, subscription, value)
  }
}

/**
 * What is owed is settled and the subscription is paid for. A tenant on trial, or one that has registered itself and only waited
 * for this, is active; one that an operator is setting up waits for `activate`.
 */
async function markPaid(txn: Transaction, { tenantId }: SubscriptionRow): Promise<void> {
  await closeInvoices(txn, tenantId)
  await restoreStanding(txn, await activateSubscription(txn, tenantId))
  const tenant = await lockTenant(txn, tenantId)
  const { status, registered } = tenant
  if (status !== 'trial' && !(status === 'onboarding' && registered)) return
  setStatus(txn, tenant, 'active')
  txn.audit({
    tenantId,
    resourceType: 'tenant',
    resourceId: tenantId,
    before: { status },
    after: { status: 'active' },
    action: 'tenant.activated',
  })
}

async function changePlan(
  txn: Transaction,
  subscription: SubscriptionRow,
  value: BillingOverride['value'],
): Promise<void> {
  if (typeof value !== 'string') throw invalid('value', 'Name a plan')
  const { region, cycle } = subscription
  const wanted = { name: value, region, cycle: cycle === 'quarterly' ? ('monthly' as const) : cycle }
  const choice = await choosePlan(txn, wanted).catch((error: unknown) => {
    throw error instanceof DomainError ? invalid('value', error.message) : error
  })
  await changeSubscription(txn, subscription, choice)
}

function wholeNumber(value: BillingOverride['value'], max: number, what: string, min = 1): number {
  const number = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number
  throw invalid('value', `Give ${what}, as a whole number`)
}

function view({ planLabel, status, priceAmount, currency, discountPercent, trialEndsAt }: SubscriptionRow) {
  return {
    plan: planLabel,
    status,
    priceAmount,
    currency,
    discountPercent,
    trialEndsAt: trialEndsAt?.toISOString() ?? null,
  }
}
