import type { Checkout, CheckoutRequest, PaymentProvider } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { brief, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { complete, confirm, createOpenApp, person, ready, registrationTables, send } from './registrations.ts'

/** A payment provider as an embedding program writes one: an order for each reference, the same when asked again. */
class Till implements PaymentProvider {
  readonly name = 'till'
  readonly asked: CheckoutRequest[] = []
  answer: (request: CheckoutRequest) => Promise<Checkout> = async ({ reference }) => ({
    orderId: `order_${reference}`,
    subscriptionId: `sub_${reference}`,
    keyId: 'key_public',
  })

  openCheckout(request: CheckoutRequest): Promise<Checkout> {
    this.asked.push(request)
    return this.answer(request)
  }

  async change() {}

  async cancel() {}
}

const rows = (app: TestApp, table: string) =>
  app.db.sql.all<Record<string, unknown>>(`select * from ${table}`)

describe('a paid plan with a payment provider', () => {
  it('returns the data for the checkout, and keeps the tenant in onboarding', async () => {
    const till = new Till()
    await using app = await createOpenApp({ payments: till, worker: false })
    await app.copydesk.asSystem().coupons.create({ code: 'QUARTER', percentOff: 25 })
    const { status, json } = await complete(app, await ready(app), { plan: 'pro', coupon: 'quarter' })
    expect(status).toBe(201)
    expect(till.asked).toHaveLength(1)
    const { signal, ...asked } = till.asked[0] as CheckoutRequest
    expect(signal.aborted).toBe(false)
    expect(asked).toEqual({
      reference: expect.any(String),
      plan: 'pro',
      cycle: 'monthly',
      region: 'GB',
      currency: 'GBP',
      amount: 5925,
      trialDays: 0,
      customer: {
        name: 'Ines Okafor',
        email: person.email,
        phone: person.phone,
        country: 'GB',
        company: 'Hearth & Oat',
      },
    })
    expect(json).toEqual({
      tenantId: expect.any(String),
      userId: expect.any(String),
      plan: 'pro',
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      paymentOrderId: `order_${asked.reference}`,
      paymentSubscriptionId: `sub_${asked.reference}`,
      paymentKeyId: 'key_public',
    })
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'onboarding', plan: 'pro' }])
    expect(await rows(app, 'subscriptions')).toMatchObject([
      {
        id: asked.reference,
        status: 'pending',
        provider: 'till',
        provider_order_id: `order_${asked.reference}`,
        provider_subscription_id: `sub_${asked.reference}`,
      },
    ])
    const [invoice] = await rows(app, 'invoices')
    expect(Number(invoice?.['amount'])).toBe(5925)
  })

  it('is not called when there is nothing to pay', async () => {
    const till = new Till()
    await using app = await createOpenApp({ payments: till, worker: false })
    await app.copydesk.asSystem().coupons.create({ code: 'GIFT', percentOff: 100 })
    const free = await complete(app, await ready(app))
    const gift = await complete(app, await ready(app, { person: { email: 'two@hearth.example' } }), {
      plan: 'agency',
      coupon: 'GIFT',
    })
    for (const { status, json } of [free, gift]) {
      expect(status).toBe(201)
      expect(json).not.toHaveProperty('paymentOrderId')
    }
    expect(till.asked).toEqual([])
    expect(await rows(app, 'tenants')).toMatchObject([{ status: 'active' }, { status: 'active' }])
    expect(await rows(app, 'invoices')).toEqual([])
  })

  it('is not called for a completion that is rejected', async () => {
    const till = new Till()
    await using app = await createOpenApp({ payments: till, worker: false })
    const token = await ready(app)
    await complete(app, await ready(app))
    const before = await contents(app, registrationTables)
    expect((await complete(app, token, { plan: 'pro' })).status).toBe(409)
    const other = await ready(app, { person: { email: 'two@hearth.example' } })
    expect((await complete(app, other, { plan: 'pro', coupon: 'NOSUCH' })).status).toBe(400)
    expect(till.asked).toEqual([])
    const { registrations: _, ...after } = await contents(app, registrationTables)
    const { registrations: __, ...rest } = before
    expect({ ...after, audit_records: [] }).toEqual({ ...rest, audit_records: [] })
  })

  it.each([
    ['fails', async () => Promise.reject(new Error('503 from the till, secret_key=abc'))],
    ['answers nonsense', async () => ({ orderId: '', subscriptionId: 7 }) as never],
  ])('that %s leaves a registration that can be completed', async (_, answer) => {
    const till = new Till()
    const well = till.answer
    await using app = await createOpenApp({ payments: till, worker: false })
    const token = await ready(app)
    const before = await contents(app, registrationTables.slice(1))
    till.answer = answer
    const body = { plan: 'pro' }
    const headers = { 'idempotency-key': 'k1' }
    const refused = await send(app, 'POST /register/complete', { token, body, headers })
    expect(refused).toMatchObject({ status: 422, json: { error: { code: 'UNPROCESSABLE' } } })
    expect(refused.text).not.toContain('secret_key')
    expect(await contents(app, registrationTables.slice(1))).toEqual(before)

    till.answer = well
    const done = await send(app, 'POST /register/complete', { token, body, headers })
    expect(done.status).toBe(201)
    // Asked again about the same thing, under the same name.
    expect(new Set(till.asked.map(({ reference }) => reference)).size).toBe(1)
    expect(done.json.paymentOrderId).toBe(`order_${till.asked[0]?.reference}`)
  })

  it('has a timeout of twenty seconds', async () => {
    const clock = createTestClock()
    const till = new Till()
    const { promise: waiting, resolve: asked } = Promise.withResolvers<void>()
    till.answer = () => {
      asked()
      return new Promise(() => undefined)
    }
    await using app = await createOpenApp({ payments: till, clock, worker: false })
    const token = await ready(app)
    const answer = complete(app, token, { plan: 'pro' })
    await waiting
    clock.advance(19_999)
    expect(till.asked[0]?.signal.aborted).toBe(false)
    clock.advance(1)
    expect((await answer).status).toBe(422)
    expect(till.asked[0]?.signal.aborted).toBe(true)
    expect(await rows(app, 'tenants')).toEqual([])
  })

  it('is called once for twenty concurrent completions', async () => {
    const till = new Till()
    await using app = await createOpenApp({ payments: till, worker: false })
    const token = await ready(app)
    const tries = Array.from({ length: 20 }, () => complete(app, token, { plan: 'pro' }))
    const answers = await Promise.all(tries)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { json } of answers.filter(({ status }) => status !== 201))
      expect(json.error).toMatchObject({ code: 'CONFLICT', details: { currentStep: 4 } })
    expect(till.asked).toHaveLength(1)
    expect(await rows(app, 'subscriptions')).toHaveLength(1)
  })

  it('is called again for another plan, and when a server was killed during the call', async () => {
    const clock = createTestClock()
    const till = new Till()
    const well = till.answer
    await using app = await createOpenApp({ payments: till, clock, worker: false })
    const token = await ready(app)
    till.answer = () => Promise.reject(new Error('no'))
    await complete(app, token, { plan: 'pro' })
    await complete(app, token, { plan: 'agency' })
    const [pro, agency] = till.asked
    expect(pro?.reference).not.toBe(agency?.reference)

    // As a server leaves it that was killed while it asked.
    const until = new Date(clock.now() + 60_000)
    await app.db.write((tx) => tx.run('update registrations set checkout_until = ?', [until]))
    till.answer = well
    expect((await complete(app, token, { plan: 'agency' })).status).toBe(409)
    clock.advance(60_000)
    const { status, json } = await complete(app, token, { plan: 'agency' })
    expect(status).toBe(201)
    expect(json.paymentSubscriptionId).toBe(`sub_${agency?.reference}`)
  })

  it('charges the agreed price: a price that changed meanwhile is reported, not charged', async () => {
    const till = new Till()
    const well = till.answer
    await using app = await createOpenApp({ payments: till, worker: false })
    const token = await ready(app)
    till.answer = async (request) => {
      await app.copydesk.asSystem().plans.setPrice({ plan: 'pro', region: 'GB', amount: 9_900 })
      return well(request)
    }
    const before = await contents(app, ['tenants', 'users', 'subscriptions', 'invoices'])
    expect(await complete(app, token, { plan: 'pro' })).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT', details: { currentStep: 4 } } },
    })
    expect(await contents(app, ['tenants', 'users', 'subscriptions', 'invoices'])).toEqual(before)
    till.answer = well
    expect((await complete(app, token, { plan: 'pro' })).status).toBe(201)
    expect(till.asked.map(({ amount }) => amount)).toEqual([7_900, 9_900])
  })
})

describe('a paid plan without a payment provider', () => {
  it('keeps the tenant in onboarding: users can work, agents do not run until it is marked as paid', async () => {
    await using app = await createOpenApp()
    const { status, json } = await complete(app, await ready(app), { plan: 'starter' })
    expect(status).toBe(201)
    expect(Object.keys(json).filter((key) => key.startsWith('payment'))).toEqual([])
    const { tenantId } = json
    expect(await rows(app, 'tenants')).toMatchObject([{ id: tenantId, status: 'onboarding' }])
    expect(await rows(app, 'subscriptions')).toMatchObject([{ status: 'pending', provider: null }])
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: person.email, password: person.password, app: 'dashboard' },
    })
    const client = app.clientFor(accessToken)
    const body = { name: 'Spring', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }
    await client.call('dashboard', 'POST /campaigns', { body })
    // Another tenant's run, which comes after, is taken; this tenant's is not.
    const team = await app.team()
    await team.admin.call('dashboard', 'POST /campaigns', { body })
    const of = async (id: string, done: boolean) =>
      (await app.db.sql.all<{ status: string }>('select status from runs where tenant_id = ?', [id])).some(
        (run) => (run.status === 'completed') === done,
      )
    await app.until(() => of(tenantId, false), 'the run of the new tenant waits')
    await app.until(() => of(team.tenantId, true), 'a run of the other tenant is done')
    const waiting = await app.db.sql.all('select status, attempt from runs where tenant_id = ?', [tenantId])
    expect(waiting).toMatchObject([{ status: 'pending', attempt: 0 }])

    const boss = { email: 'root@test.example', password: 'Correct-horse-1' }
    await app.copydesk.asSystem().users.create({ ...boss, name: 'Root', role: 'super_admin' })
    const root = await app.clientFor().call('auth', 'POST /login', { body: { ...boss, app: 'manage' } })
    const operator = app.clientFor(root.accessToken)
    const params = { tenantId }
    await expect(
      operator.call('admin', 'PATCH /tenants/:tenantId/activate', { params, body: { isActive: true } }),
    ).rejects.toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    await operator.call('admin', 'POST /tenants/:tenantId/billing/override', {
      params,
      body: { action: 'mark_paid', reason: 'has paid by bank' },
    })
    await confirm(app, person.email, accessToken)
    await app.until(() => of(tenantId, true), 'the run of the tenant that has paid is done')
  })
})
