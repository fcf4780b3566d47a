import type { Transaction } from '../../../../kernel/context.ts'
import { lockTenant, setStatus } from '../../tenants/status.ts'
import { finalStates, type ProviderState, providerStates, type SubscriptionRow } from '../entities.ts'
import { markPastDue, restoreStanding } from '../standing.ts'
import { beginBillingAt } from '../subscriptions.ts'

/**
 * The subscription was paid for: billing has begun, at the earliest instant that any such event names, and a tenant that waited for it works.
 * That is so however late the event comes.
 */
export async function noteActivation(
  txn: Transaction,
  subscription: SubscriptionRow,
  at: Date,
): Promise<void> {
  if (hasEndedHere(subscription)) return
  if (!subscription.startedAt || at < subscription.startedAt) await beginBillingAt(txn, subscription, at)
  const tenant = await lockTenant(txn, subscription.tenantId)
  const { id: tenantId, status, registered } = tenant
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
  // Locking the tenant again reads its row again.
  await txn.em.flush()
}

/**
 * Takes over the state that a provider says a subscription to be in, unless something newer is known.
 * @returns false when it changes nothing
 */
export async function noteProviderState(
  txn: Transaction,
  subscription: SubscriptionRow,
  state: ProviderState,
  at: Date,
): Promise<boolean> {
  if (hasEndedHere(subscription) || !isNewer(subscription, state, at)) return false
  const before = { providerState: subscription.providerState, status: subscription.status }
  subscription.providerState = state
  subscription.providerStateOn = at
  subscription.updatedOn = txn.clock.date()
  // It was asked to end there and ends here with the period that is paid for, which may be a later day.
  if (finalStates.has(state) && subscription.cancelsAtPeriodEnd) return true
  if (finalStates.has(state)) {
    subscription.status = 'cancelled'
    subscription.cancelledAt = at
    subscription.pastDueSince = null
  } else if (state === 'pending' || state === 'halted') {
    // What an older event said of its beginning counts no more.
    subscription.pastDueSince = null
    markPastDue(txn, subscription, at)
  } else {
    await restoreStanding(txn, subscription)
    subscription.status = 'active'
  }
  await holdTenant(txn, subscription.tenantId, state === 'halted' || finalStates.has(state))
  txn.audit({
    tenantId: subscription.tenantId,
    resourceType: 'subscription',
    resourceId: subscription.id,
    before,
    after: { providerState: state, status: subscription.status, at: at.toISOString() },
    action: 'subscription.provider_state',
  })
  return true
}

/** What ended by itself does not begin again, whatever the provider tells of it. */
function hasEndedHere({ status, providerState }: SubscriptionRow): boolean {
  return status === 'cancelled' && !(providerState && finalStates.has(providerState))
}

function isNewer(subscription: SubscriptionRow, state: ProviderState, at: Date): boolean {
  const { providerState, providerStateOn } = subscription
  if (!providerState || !providerStateOn) return true
  const ends = Number(finalStates.has(state)) - Number(finalStates.has(providerState))
  if (ends !== 0) return ends > 0
  const later = at.getTime() - providerStateOn.getTime()
  return later > 0 || (later === 0 && providerStates.indexOf(state) > providerStates.indexOf(providerState))
}

/** While nothing pays for a tenant, none of its runs starts; its people read and pay. */
async function holdTenant(txn: Transaction, tenantId: string, awaitsPayment: boolean): Promise<void> {
  const tenant = await lockTenant(txn, tenantId)
  if (tenant.awaitsPayment === awaitsPayment) return
  tenant.awaitsPayment = awaitsPayment
  tenant.updatedOn = txn.clock.date()
}
