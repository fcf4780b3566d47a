import type { Transaction } from '../../../../kernel/context.ts'
import { Tenant } from '../../tenants/entities.ts'
import type { SubscriptionRow } from '../entities.ts'
import { informProvider } from '../inform-provider.ts'
import { creditInvoice } from '../invoices/credit-notes.ts'
import { openInvoices } from '../invoices/open.ts'

/**
 * Ends a subscription; of one that never began nothing is owed any more. Its tenant is `onboarding` then, as after a trial: people still log in and read, and agents rest. The
 * subscription is locked.
 */
export async function endSubscription(txn: Transaction, subscription: SubscriptionRow): Promise<void> {
  const now = txn.clock.date()
  const { status: was, tenantId } = subscription
  if (subscription.startedAt === null)
    for (const { id } of await openInvoices(txn, tenantId))
      await creditInvoice(txn, id, { reason: 'The subscription was cancelled before it began' })
  subscription.status = 'cancelled'
  subscription.cancelledAt = now
  subscription.nextBillingAt = null
  subscription.cancelsAtPeriodEnd = false
  subscription.pastDueSince = null
  subscription.updatedOn = now
  informProvider(txn, subscription, { what: 'end' })
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  const { status } = tenant
  if (status === 'active' || status === 'trial') {
    tenant.status = 'onboarding'
    tenant.updatedOn = now
  }
  txn.audit({
    tenantId,
    resourceType: 'subscription',
    resourceId: subscription.id,
    before: { status: was, tenantStatus: status },
    after: { status: 'cancelled', tenantStatus: tenant.status },
    action: 'subscription.ended',
  })
}
