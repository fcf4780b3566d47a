import type { Copydesk } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { startFormProvider } from '../../kit/form-provider-server.ts'
import { createOperator } from '../../kit/operator.ts'
import { startPaymentServer } from '../../kit/payment-server.ts'
import { complete, createOpenApp, person, ready } from '../auth/registrations.ts'

/** Both providers, with what differs between their words. */
const providers = {
  hostedA: async () => {
    const server = await startPaymentServer()
    const kept = () => [...server.subscriptions.values()][0]
    return {
      ...server,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      seen: () => {
        const { plan_id, coming = plan_id, status, ends = false } = kept() ?? {}
        const amountOf = (plan = '') =>
          (server.plans.get(plan) as { item: { amount: number } } | undefined)?.item.amount
        return { amount: amountOf(plan_id), next: amountOf(coming), ended: status === 'cancelled', ends }
      },
      /** As after the first payment. */
      begin: () => Object.assign(kept() ?? {}, { status: 'active' }),
      changes: () => server.callsOf('PATCH', '/v1/subscriptions/').length,
      cancellations: () => server.calls.filter(({ path }) => path.endsWith('/cancel')).length,
    }
  },
  hostedB: async () => {
    const server = await startFormProvider()
    const kept = () => [...server.subscriptions.values()][0]
    const posts = () => server.callsOf('POST', '/v1/subscriptions/').map(({ body }) => body)
    return {
      ...server,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      seen: () => ({
        amount: kept()?.items.data[0]?.price?.unit_amount,
        next: kept()?.items.data[0]?.price?.unit_amount,
        ended: kept()?.status === 'canceled',
        ends: kept()?.cancel_at_period_end ?? false,
      }),
      begin: () => Object.assign(kept() ?? {}, { status: 'active' }),
      changes: () => posts().filter((body) => body.items !== undefined).length,
      cancellations: () =>
        posts().filter((body) => body.cancel_at_period_end === 'true').length +
        server.callsOf('DELETE', '/v1/subscriptions/').length,
    }
  },
}
const named = [
  { name: 'hosted_a', start: providers.hostedA },
  { name: 'hosted_b', start: providers.hostedB },
]

const cancel = 'POST /billing/subscription/cancel' as const
const change = 'POST /billing/subscription/change' as const

/** A tenant on the plan `pro`, which has begun when `paid`. */
async function customer(app: TestApp, provider: { begin(): unknown }, { paid = true } = {}) {
  const { json } = await complete(app, await ready(app), { plan: 'pro' })
  const { client: operator } = await createOperator(app)
  const params = { tenantId: json.tenantId as string }
  const override = (action: 'mark_paid' | 'apply_discount' | 'change_plan', value?: string | number) =>
    operator.call('admin', 'POST /tenants/:tenantId/billing/override', {
      params,
      body: { action, reason: 'a test', ...(value !== undefined && { value }) },
    })
  if (paid) {
    provider.begin()
    await override('mark_paid')
  }
  const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
    body: { email: person.email, password: person.password, app: 'dashboard' },
  })
  return { admin: app.clientFor(accessToken), operator, override }
}

const waiting = (app: TestApp) =>
  app.db.sql.all<{ status: string }>(
    `select status from job where kind = 'payment.inform' and status <> 'done'`,
  )
const informed = (app: TestApp) =>
  app.until(async () => (await waiting(app)).length === 0, 'the provider has been informed')

describe.each(named)('a subscription at $name', ({ start }) => {
  it('is moved to the new price, and ends with its period', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider)
    await admin.call('tenant', change, { body: { plan: 'agency' } })
    await informed(app)
    expect(provider.seen()).toMatchObject({ amount: 23_900, ended: false, ends: false })
    await admin.call('tenant', cancel)
    await admin.call('tenant', cancel)
    await informed(app)
    expect(provider.seen()).toMatchObject({ amount: 23_900, ended: false, ends: true })
    expect([provider.changes(), provider.cancellations()]).toEqual([1, 1])
  })

  it('ends at once when it was never paid for', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider, { paid: false })
    expect(await admin.call('tenant', cancel)).toMatchObject({ status: 'cancelled' })
    await informed(app)
    expect(provider.seen()).toMatchObject({ ended: true })
  })

  it('is as it is here after three changes in a row, some of whose answers were lost', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider)
    provider.state.lose = 2
    for (const plan of ['agency', 'starter', 'enterprise'] as const)
      await admin.call('tenant', change, { body: { plan } })
    await informed(app)
    expect(provider.state.lose).toBe(0)
    expect(provider.seen()).toMatchObject({ amount: 79_900, ended: false, ends: false })
  })

  it('is cancelled once, and changed once, when answers are lost or two servers do it', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const other: Copydesk = await app.another(provider.options)
    expect(other).toBeDefined()
    const { admin } = await customer(app, provider)
    provider.state.lose = 1
    await admin.call('tenant', change, { body: { plan: 'agency' } })
    await informed(app)
    provider.state.lose = 1
    await admin.call('tenant', cancel)
    await informed(app)
    expect(provider.seen()).toMatchObject({ amount: 23_900, ended: false, ends: true })
    expect(provider.changes()).toBe(1)
  })

  it('waits for a provider that is away, and nothing here waits for it', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider)
    provider.state.fault = 503
    expect(await admin.call('tenant', cancel)).toMatchObject({ cancelsAtPeriodEnd: true })
    const calls = provider.calls.length
    await app.until(async () => provider.calls.length > calls + 1, 'it was tried again')
    expect(provider.seen()).toMatchObject({ ends: false })
    provider.state.fault = undefined
    await informed(app)
    expect(provider.seen()).toMatchObject({ ends: true })
  })

  it('follows a discount, and is over when nothing is to be paid any more', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { admin, override } = await customer(app, provider)
    await override('apply_discount', 50)
    await informed(app)
    expect(provider.seen()).toMatchObject({ next: 3_950 })
    await override('apply_discount', 100)
    await informed(app)
    expect(provider.seen()).toMatchObject({ ended: true })
    expect(await admin.call('tenant', 'GET /billing/subscription')).toMatchObject({ status: 'active' })
  })

  it('ends when an operator shuts the tenant', async () => {
    await using provider = await start()
    await using app = await createOpenApp(provider.options)
    const { operator } = await customer(app, provider)
    const [tenant] = await app.db.sql.all<{ id: string }>('select id from tenants')
    const params = { tenantId: tenant?.id as string }
    await operator.call('admin', 'PATCH /tenants/:tenantId', { params, body: { status: 'cancelled' } })
    await informed(app)
    expect(provider.seen()).toMatchObject({ ended: true })
  })

  it.each([
    ['refuses', { fault: 503 }],
    ['breaks the connection', { lose: 1 }],
  ])('cannot be opened while the provider %s, and nothing is left of it here', async (_, trouble) => {
    await using provider = await start()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    Object.assign(provider.state, trouble)
    const token = await ready(app)
    const refused = await complete(app, token, { plan: 'pro' })
    expect(refused).toMatchObject({ status: 422, json: { error: { code: 'UNPROCESSABLE' } } })
    for (const table of ['tenants', 'subscriptions', 'invoices'])
      expect(await app.db.sql.all(`select 1 from ${table}`)).toEqual([])
    provider.state.fault = undefined
    expect((await complete(app, token, { plan: 'pro' })).status).toBe(201)
    expect(provider.subscriptions.size).toBe(1)
  })
})

describe('a subscription that ends with its period', () => {
  it('goes on with another plan where the provider takes a cancellation back', async () => {
    await using provider = await providers.hostedB()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider)
    await admin.call('tenant', cancel)
    await informed(app)
    const changed = await admin.call('tenant', change, { body: { plan: 'agency' } })
    expect(changed).toMatchObject({ plan: 'agency', cancelsAtPeriodEnd: false })
    await informed(app)
    expect(provider.seen()).toMatchObject({ amount: 23_900, ends: false })
  })

  it('keeps its plan where the provider does not', async () => {
    await using provider = await providers.hostedA()
    await using app = await createOpenApp(provider.options)
    const { admin } = await customer(app, provider)
    await admin.call('tenant', cancel)
    await informed(app)
    const changed = admin.call('tenant', change, { body: { plan: 'agency' } })
    await expect(changed).rejects.toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    expect(provider.seen()).toMatchObject({ amount: 7_900, ends: true })
    expect(await admin.call('tenant', 'GET /billing/subscription')).toMatchObject({ plan: 'pro' })
  })
})

describe('a subscription without a provider', () => {
  it('asks no one to cancel it, or to change it', async () => {
    await using app = await createOpenApp()
    const { admin } = await customer(app, { begin: () => undefined })
    await admin.call('tenant', change, { body: { plan: 'agency' } })
    await admin.call('tenant', cancel)
    expect(await app.db.sql.all(`select 1 from job where kind = 'payment.inform'`)).toEqual([])
  })
})
