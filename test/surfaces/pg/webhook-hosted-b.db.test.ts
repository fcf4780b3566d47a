import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { formSecret, startFormProvider } from '../../kit/form-provider-server.ts'
import { callWebhook } from '../../kit/payment-server.ts'
import { complete, createOpenApp, ready } from '../auth/registrations.ts'

const now = () => Math.floor(Date.now() / 1_000)
let events = 0

/** Calls the webhook with an event as the provider's own library signs it. */
function tell(
  app: TestApp,
  type: string,
  object: object,
  {
    id = `evt_${++events}`,
    created = now(),
    previous,
  }: { id?: string; created?: number; previous?: object } = {},
) {
  const data = { object, ...(previous && { previous_attributes: previous }) }
  const payload = JSON.stringify({ id, object: 'event', type, created, data })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: formSecret })
  return callWebhook(app, payload, { headers: { 'stripe-signature': signature } })
}

const rows = (app: TestApp, table: string) =>
  app.db.sql.all<Record<string, unknown>>(`select * from ${table} order by 1`)
const settled = (app: TestApp) =>
  app.until(
    async () =>
      (await app.db.sql.all(`select 1 from payment_events where status = 'received'`)).length === 0 &&
      (
        await app.db.sql.all(
          `select 1 from job where kind like 'payment.%' and status in ('waiting', 'running')`,
        )
      ).length === 0,
    'no event waits',
  )

async function registered(app: TestApp) {
  const { json } = await complete(app, await ready(app), { plan: 'pro' })
  return json.paymentSubscriptionId as string
}
const invoiceOf = (subscription: string, more: object = {}) => ({
  id: 'in_1',
  object: 'invoice',
  amount_paid: 7_900,
  currency: 'gbp',
  parent: { type: 'subscription_details', subscription_details: { subscription } },
  ...more,
})

describe('pg.webhook of hosted_b', () => {
  it('takes a tenant from its first payment to the end, by what the provider tells', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp(provider.options)
    const id = await registered(app)
    expect(await rows(app, 'subscriptions')).toMatchObject([
      {
        provider: 'hosted_b',
        provider_order_id: expect.stringMatching(/^in_/),
        provider_subscription_id: id,
      },
    ])
    const subscription = (status: string) => ({ id, object: 'subscription', status })
    const became = (status: string, from: string, created: number) =>
      tell(app, 'customer.subscription.updated', subscription(status), {
        created,
        previous: { status: from },
      })

    const start = now() - 400
    await tell(app, 'customer.subscription.created', subscription('incomplete'), { created: start })
    await tell(app, 'invoice.paid', invoiceOf(id), { created: start + 10 })
    await became('active', 'incomplete', start + 10)
    await settled(app)
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'active' }])
    expect(await rows(app, 'subscriptions')).toMatchObject([{ status: 'active', provider_state: 'charged' }])
    expect(await rows(app, 'invoices')).toMatchObject([{ status: 'paid', payment_entity_id: 'in_1' }])

    await tell(app, 'invoice.payment_failed', invoiceOf(id, { id: 'in_2', amount_paid: 0 }), {
      created: start + 50,
    })
    await became('past_due', 'active', start + 50)
    await settled(app)
    expect(await rows(app, 'subscriptions')).toMatchObject([{ status: 'past_due' }])
    await became('unpaid', 'past_due', start + 60)
    await settled(app)
    expect((await rows(app, 'tenants')).map((tenant) => Boolean(tenant['awaits_payment']))).toEqual([true])

    await tell(app, 'invoice.paid', invoiceOf(id, { id: 'in_2' }), { created: start + 70 })
    await became('active', 'unpaid', start + 70)
    await settled(app)
    expect((await rows(app, 'tenants')).map((tenant) => Boolean(tenant['awaits_payment']))).toEqual([false])

    await tell(app, 'customer.subscription.deleted', subscription('canceled'), { created: start + 80 })
    // Late, and of no effect.
    await became('active', 'past_due', start + 20)
    await settled(app)
    expect(await rows(app, 'subscriptions')).toMatchObject([{ status: 'cancelled' }])
  })

  it('does not take a trial, nor an invoice over nothing, for a payment', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp(provider.options)
    const id = await registered(app)
    await tell(app, 'customer.subscription.created', { id, status: 'trialing' })
    await tell(app, 'invoice.paid', invoiceOf(id, { amount_paid: 0 }))
    await tell(app, 'customer.subscription.updated', { id, status: 'active' }, { previous: { metadata: {} } })
    await settled(app)
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'onboarding' }])
    expect(await rows(app, 'payments')).toEqual([])
    expect(await rows(app, 'invoices')).toMatchObject([{ status: 'pending' }])
  })

  it('asks the provider what a refund was for, whichever comes first', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp(provider.options)
    const subscription = await registered(app)
    provider.paid.set('pi_1', { invoice: 'in_1', subscription })
    const charge = {
      id: 'ch_1',
      amount: 7_900,
      amount_refunded: 7_900,
      currency: 'gbp',
      payment_intent: 'pi_1',
    }
    provider.state.fault = 503
    await tell(app, 'charge.refunded', charge)
    await app.until(
      async () => provider.callsOf('GET', '/v1/invoice_payments').length > 0,
      'the provider was asked',
    )
    provider.state.fault = undefined
    await settled(app)
    await tell(app, 'invoice.paid', invoiceOf(subscription), { created: now() - 60 })
    await tell(app, 'charge.refunded', { ...charge, id: 'ch_2', payment_intent: 'pi_of_something_else' })
    await settled(app)
    expect(await rows(app, 'payments')).toMatchObject([{ provider_payment_id: 'in_1' }])
    expect(await rows(app, 'invoices')).toMatchObject([{ status: 'refunded' }])
    expect((await rows(app, 'payment_events')).map(({ status }) => status)).toEqual([
      'applied',
      'applied',
      'ignored',
    ])
  })

  it('reads the words of older versions of the interface too', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp(provider.options)
    const subscription = await registered(app)
    await tell(app, 'invoice.paid', invoiceOf(subscription, { parent: null, subscription }))
    await settled(app)
    expect(await rows(app, 'invoices')).toMatchObject([{ status: 'paid' }])
  })

  it('refuses what the provider did not sign now, keeps what it does not know, and names the field at fault', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    const payload = JSON.stringify({ id: 'evt_x', type: 'ping', created: now(), data: { object: {} } })
    const at = (timestamp: number, secret = formSecret) =>
      Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
    for (const signature of ['', at(now() - 400), at(now(), 'other')]) {
      const answer = await callWebhook(app, payload, { headers: { 'stripe-signature': signature } })
      expect(answer.status).toBe(401)
    }
    expect(await rows(app, 'payment_events')).toEqual([])
    expect((await tell(app, 'payout.paid', { id: 'po_1' }, { id: 'evt_same' })).status).toBe(200)
    expect((await tell(app, 'payout.paid', { id: 'po_1' }, { id: 'evt_same' })).status).toBe(200)
    expect(await rows(app, 'payment_events')).toMatchObject([{ event_id: 'evt_same', type: 'payout.paid' }])
    const broken = await tell(app, 'invoice.paid', { id: 'in_1', amount_paid: -1, currency: 'gbp' })
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { field: 'amount_paid' } }])
  })
})
