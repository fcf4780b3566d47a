import type { Transaction } from '../../../kernel/context.ts'
import { releaseTenantJob } from '../tenants/jobs.ts'
import { lockTenant } from '../tenants/status.ts'
import type { SubscriptionRow } from './entities.ts'

/**
 * Notes that a payment for a subscription is missing. The subscription is locked.
 * @param since when it should have come; an earlier instant that is known already stays
 */
export function markPastDue(txn: Transaction, subscription: SubscriptionRow, since: Date): void {
  if (subscription.status === 'cancelled') return
  if (subscription.pastDueSince && subscription.pastDueSince <= since) return
  if (!subscription.pastDueSince) subscription.remindedDay = 0
  subscription.status = 'past_due'
  subscription.pastDueSince = since
  subscription.updatedOn = txn.clock.date()
}

/**
 * Everything that is owed has been paid: the tenant works again as it did before, and what was held back starts by itself. The
 * subscription is locked.
 */
export async function restoreStanding(txn: Transaction, subscription: SubscriptionRow): Promise<void> {
  const now = txn.clock.date()
  if (subscription.status === 'past_due') {
    subscription.status = 'active'
    subscription.updatedOn = now
  }
  subscription.pastDueSince = null
  subscription.remindedDay = 0
  const { tenantId } = subscription
  const tenant = await lockTenant(txn, tenantId)
  if (!tenant.awaitsPayment) return
  tenant.awaitsPayment = false
  tenant.updatedOn = now
  txn.enqueue(releaseTenantJob, { tenantId, payload: { tenantId } })
  txn.audit({
    tenantId,
    resourceType: 'tenant',
    resourceId: tenantId,
    before: { awaitsPayment: true },
    after: { awaitsPayment: false },
    action: 'tenant.paid',
  })
}
