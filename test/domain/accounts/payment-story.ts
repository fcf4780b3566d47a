import { createInvoice } from '../../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import { type EventType, eventTypes } from '../../../packages/core/src/domain/accounts/billing/payments.ts'
import { openSubscription } from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import type { Database } from '../../../packages/core/src/platform/database/database.ts'
import { type Bench, choice } from './billing.ts'

/** `COPYDESK_PAYMENT_TENANTS=500 COPYDESK_PAYMENT_EVENTS=10000` is the long form. */
const tenants = Number(process.env['COPYDESK_PAYMENT_TENANTS'] ?? 12)
const events = Number(process.env['COPYDESK_PAYMENT_EVENTS'] ?? 240)

/** Something that a provider tells of a tenant, by its place. */
export interface Told {
  tenant: number
  eventId: string
  type: EventType
  /** Seconds since 1970. */
  at: number
  payment: { id: string; amount: number; currency: string; refunded: number } | null
}

/** What a provider might tell of each tenant, in the order in which it happened. @param from seconds since 1970 */
export function paymentStory(next: (below: number) => number, from: number): Told[] {
  const payments = new Map<number, number>()
  return Array.from({ length: events }, (_, i): Told => {
    const tenant = next(tenants)
    // The end of a subscription is rare, or there would be nothing but ends.
    const type = eventTypes[next(20) === 0 ? next(eventTypes.length) : next(4)] as EventType
    const paid = payments.get(tenant) ?? 0
    const isPayment = type === 'subscription.charged' || type === 'payment.captured'
    if (isPayment) payments.set(tenant, paid + 1)
    const about = type === 'refund.processed' && paid > 0 ? paid - 1 : isPayment ? paid : undefined
    const refunded = type === 'refund.processed' ? 9_900 : 0
    const payment =
      about === undefined ? null : { id: `pay_${tenant}_${about}`, amount: 9_900, currency: 'USD', refunded }
    // Several happen in the same second.
    return { tenant, eventId: `evt_${i}`, type, at: from + Math.floor(i / 3), payment }
  })
}

/** The same in any order, a third of it twice. */
export const shuffled = (told: readonly Told[], next: (below: number) => number): Told[] =>
  [...told, ...told.filter(() => next(3) === 0)]
    .map((event) => ({ event, key: next(1_000_000) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ event }) => event)

/** Tenants of one round, each with a subscription `${round}_${place}` that waits for its first payment. */
export async function subscribeTenants(
  { act, app, tenant }: Bench,
  round: string,
  provider: string,
): Promise<void> {
  for (let i = 0; i < tenants; i += 1) {
    const tenantId = await tenant('Europe/London', `${round} ${i}`)
    await app.db.write((tx) =>
      tx.run(`update tenants set status = 'onboarding', registered = true where id = ?`, [tenantId]),
    )
    await act(async (txn) => {
      const ids = { name: provider, orderId: `order_${round}_${i}`, subscriptionId: `${round}_${i}` }
      const subscription = await openSubscription(txn, {
        tenantId,
        choice: await choice(txn, 'pro'),
        provider: ids,
      })
      await createInvoice(txn, subscription)
    })
  }
}

/** What can be seen of the tenants of a round, without its name, so that two can be compared. */
export async function outcomeOf({ sql }: Database, round: string) {
  const all = async (text: string) => {
    const found = await sql.all<Record<string, unknown>>(text, [`${round}_%`])
    return found.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, `${value}`.replaceAll(round, 'round')]),
      ),
    )
  }
  const mine = 'from subscriptions s join tenants t on t.id = s.tenant_id'
  return {
    subscriptions:
      await all(`select s.provider_subscription_id, s.status, s.provider_state, s.provider_state_on, s.started_at,
      s.next_billing_at, s.past_due_since, s.cancelled_at, t.status as tenant, t.awaits_payment
      ${mine} where s.provider_subscription_id like ? order by s.provider_subscription_id`),
    invoices: await all(`select s.provider_subscription_id, i.status, i.payment_entity_id, i.paid_on, i.amount
      ${mine} join invoices i on i.subscription_id = s.id where s.provider_subscription_id like ?
      order by s.provider_subscription_id, i.id`),
    payments:
      await all(`select provider_payment_id, amount, refunded, paid_on, invoice_id is null as spare from payments
      where provider_payment_id like ? order by 1`),
  }
}
