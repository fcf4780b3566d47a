import { openedEvent } from './bounces.ts'
import type { InputExamples } from './input.ts'

/** Inputs of endpoints about payments and e-mails. */
export const billingExamples: InputExamples = {
  'admin.tenants.override_billing': ({ customer }) => ({
    params: { tenantId: customer.tenantId },
    body: { action: 'apply_discount', value: 10, reason: 'A friend' },
  }),
  'tenant.billing.change': () => ({ body: { plan: 'agency' } }),
  'admin.billing.webhook': () => ({
    body: { id: 'evt_1', event: 'dispute.opened', created_at: 1_790_000_000 },
  }),
  'admin.mail.webhook': ({ clock }) => openedEvent(clock.now()),
  'pg.webhook': () => ({ body: { id: 'evt_2', event: 'dispute.opened', created_at: 1_790_000_000 } }),
}
