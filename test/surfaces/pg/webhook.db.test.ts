import razorpay from 'razorpay/dist/utils/razorpay-utils.js'
import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'
import { callWebhook, sign, startPaymentServer, webhookSecret } from '../../kit/payment-server.ts'
import { complete, createOpenApp, ready } from '../auth/registrations.ts'

const at = Math.floor(Date.now() / 1_000)

const eventOf = (event: string, subscription: string, more: object = {}) =>
  JSON.stringify({
    id: `evt_${event}`,
    event,
    created_at: at,
    payload: { subscription: { entity: { id: subscription } }, ...more },
  })
const payment = (id: string, more: object = {}) => ({
  payment: { entity: { id, amount: 7900, currency: 'GBP', ...more } },
})

const rows = (app: TestApp, table: string) =>
  app.db.sql.all<Record<string, unknown>>(`select * from ${table} order by 1`)
const settled = (app: TestApp) =>
  app.until(
    async () => (await app.db.sql.all(`select 1 from payment_events where status = 'received'`)).length === 0,
    'no event waits',
  )

/** A tenant that has registered for a paid plan and not paid yet. */
async function registered(app: TestApp) {
  const { json } = await complete(app, await ready(app), { plan: 'pro' })
  return { tenantId: json.tenantId as string, subscription: json.paymentSubscriptionId as string }
}

describe('pg.webhook', () => {
  it('activates a tenant that has registered, once it has paid', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { subscription } = await registered(app)
    expect(provider.calls).toMatchObject([
      {
        path: '/v1/plans',
        body: { period: 'monthly', interval: 1, item: { amount: 7900, currency: 'GBP' } },
      },
      { path: '/v1/subscriptions', body: { plan_id: 'plan_1', total_count: 120 } },
    ])
    expect(provider.calls[0]?.authorization).toBe(`Basic ${btoa('key_public:key_secret')}`)
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'onboarding' }])
    const answer = await callWebhook(app, eventOf('subscription.activated', subscription))
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
    await callWebhook(app, eventOf('subscription.charged', subscription, payment('pay_1')))
    await settled(app)
    await settled(app)
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'active' }])
    expect(await rows(app, 'subscriptions')).toMatchObject([{ status: 'active' }])
    expect(await rows(app, 'invoices')).toMatchObject([{ status: 'paid', payment_entity_id: 'pay_1' }])
  })

  it('takes what the provider signs, by its own headers too', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { subscription } = await registered(app)
    const body = eventOf('subscription.activated', subscription)
    expect(razorpay.validateWebhookSignature(body, sign(body), webhookSecret)).toBe(true)
    const headers = { 'x-paymentprovider-signature': '', 'x-razorpay-signature': sign(body) }
    const request = new Request('http://copydesk.test/pg/v1/webhook', {
      method: 'POST',
      headers: { 'x-razorpay-signature': headers['x-razorpay-signature'], 'x-razorpay-event-id': 'evt_own' },
      body,
    })
    expect((await app.copydesk.fetch(request)).status).toBe(200)
    expect(await rows(app, 'payment_events')).toMatchObject([{ event_id: 'evt_own' }])
  })

  it.each([
    ['a missing signature', (body: string) => ({ body, signature: undefined })],
    ['a wrong signature', (body: string) => ({ body, signature: 'f'.repeat(64) })],
    ['a secret that is not valid any more', (body: string) => ({ body, signature: sign(body, 'old') })],
    ['a body that was encoded again', (body: string) => ({ body: ` ${body}`, signature: sign(body) })],
    ['a body that was cut', (body: string) => ({ body: body.slice(0, -5), signature: sign(body) })],
  ])('refuses %s, and keeps nothing', async (_, spoil) => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    const { body, signature } = spoil(eventOf('subscription.activated', 'sub_1'))
    const headers = { ...(signature !== undefined && { 'x-paymentprovider-signature': signature }) }
    const request = new Request('http://copydesk.test/pg/v1/webhook', { method: 'POST', headers, body })
    const answer = await app.copydesk.fetch(request)
    expect(answer.status).toBe(401)
    expect(await rows(app, 'payment_events')).toEqual([])
  })

  it('refuses a signed body that is no event, with the field', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    for (const [body, field] of [
      ['{', 'body'],
      ['{"event":"subscription.charged"}', 'created_at'],
      [JSON.stringify({ event: 'x', created_at: 1e15 }), 'created_at'],
    ] as const) {
      const answer = await callWebhook(app, body)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { field } }])
    }
    expect(await rows(app, 'payment_events')).toEqual([])
  })

  it('accepts two secrets while one is exchanged for the other', async () => {
    await using provider = await startPaymentServer()
    const payments = { ...provider.options.payments, webhookSecrets: ['new', webhookSecret] }
    await using app = await createOpenApp({ ...provider.options, payments, worker: false })
    const one = eventOf('subscription.charged', 'sub_1')
    const two = eventOf('subscription.pending', 'sub_1')
    expect((await callWebhook(app, one)).status).toBe(200)
    const headers = { 'x-paymentprovider-signature': sign(two, 'new') }
    expect((await callWebhook(app, two, { headers })).status).toBe(200)
  })

  it('applies an event once, however often and wherever it comes', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { subscription } = await registered(app)
    const other = await app.another(provider.options)
    const body = eventOf('subscription.charged', subscription, payment('pay_1'))
    const calls = Array.from({ length: 10 }, (_, i) =>
      callWebhook(i % 2 === 0 ? app : { copydesk: other }, body),
    )
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    await settled(app)
    expect(await rows(app, 'payment_events')).toHaveLength(1)
    expect(await rows(app, 'payments')).toHaveLength(1)
  })

  it('keeps an event of a kind that it does not know, and answers 200', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    expect((await callWebhook(app, eventOf('dispute.opened', 'sub_1'))).status).toBe(200)
    await settled(app)
    expect(await rows(app, 'payment_events')).toMatchObject([{ type: 'dispute.opened', status: 'unknown' }])
  })

  it('applies what came before the registration was complete', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    // The first checkout of this server is sub_2, after its plan.
    await callWebhook(app, eventOf('subscription.activated', 'sub_2'))
    await settled(app)
    await registered(app)
    await app.until(
      async () => (await rows(app, 'tenants')).every(({ status }) => status === 'active'),
      'the tenant is active',
    )
    expect(await rows(app, 'payment_events')).toMatchObject([{ status: 'applied' }])
  })

  it('is not there without a provider', async () => {
    await using app = await createOpenApp({ worker: false })
    expect((await callWebhook(app, eventOf('subscription.charged', 'sub_1'))).status).toBe(404)
  })
})

describe('admin.billing.webhook', () => {
  it('takes the same events', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    const body = eventOf('subscription.charged', 'sub_1')
    const path = '/admin/v1/billing/webhook'
    expect((await callWebhook(app, body, { path })).status).toBe(200)
    expect((await callWebhook(app, body)).status).toBe(200)
    expect(await rows(app, 'payment_events')).toHaveLength(1)
  })
})

describe('admin.billing.events', () => {
  it('lists what the provider has told and what became of it, by tenant, kind and day', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { tenantId, subscription } = await registered(app)
    await callWebhook(app, eventOf('subscription.charged', subscription, payment('pay_1')))
    await callWebhook(app, eventOf('subscription.pending', 'sub_of_another'))
    await settled(app)
    const { client } = await createOperator(app)
    const list = (query: object = {}) => client.call('admin', 'GET /billing/events', { query })
    const { data } = await list()
    expect(data).toHaveLength(2)
    expect(data[1]).toMatchObject({
      eventType: 'subscription.charged',
      tenantId,
      tenantName: 'Hearth & Oat',
      provider: 'hosted_a',
      eventId: 'evt_subscription.charged',
      status: 'applied',
      payment: { id: 'pay_1', amount: 7900, currency: 'GBP', refunded: 0 },
    })
    expect((await list({ tenantId })).data).toHaveLength(1)
    expect((await list({ 'filter.eventType': 'subscription.pending' })).data).toMatchObject([
      { status: 'unknown', tenantId: null },
    ])
    expect((await list({ endDate: '2020-01-01' })).data).toEqual([])
    const first = await list({ limit: 1 })
    const second = await list({ limit: 1, cursor: first.pagination.nextCursor as string })
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(data.map(({ id }) => id))
  })
})
