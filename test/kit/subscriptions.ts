import { createInvoice } from '../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import type { PaymentProvider } from '../../packages/core/src/domain/accounts/billing/payments.ts'
import { choosePlan } from '../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import { hostedAEvents } from '../../packages/core/src/domain/accounts/billing/providers/hosted-a-events.ts'
import {
  activateSubscription,
  openSubscription,
} from '../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import { parts } from '../domain/agents.ts'
import type { TestApp } from './app.ts'

/** Gives a tenant an active subscription with one invoice. @returns the id of the invoice */
export async function subscribe(app: TestApp, tenantId: string): Promise<string> {
  await using instance = await parts(app)
  return await transact(instance.system(), async (txn) => {
    const choice = await choosePlan(txn, { name: 'pro', region: 'US' })
    const subscription = await openSubscription(txn, { tenantId, choice })
    await activateSubscription(txn, tenantId)
    return (await createInvoice(txn, subscription)).id
  })
}

/** A payment provider whose events need no signature. */
export const trustedPayments: PaymentProvider = {
  name: 'trusted',
  openCheckout: async ({ reference }) => ({
    orderId: 'order',
    subscriptionId: `sub_${reference}`,
    keyId: 'key',
  }),
  change: async () => undefined,
  cancel: async () => undefined,
  events: { ...hostedAEvents([]), isGenuine: () => true },
}
