import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { type TestApp } from '../../kit/app.ts'
import { complete, createOpenApp, person, ready, registrationTables, send } from './registrations.ts'

const count = async (app: TestApp, table: string) =>
  Number((await app.db.sql.get<{ n: number }>(`select count(*) as n from ${table}`))?.n)

const tally = (answers: ReadonlyArray<{ status: number }>) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))]
      .toSorted((a, b) => a - b)
      .map((status) => [status, answers.filter((answer) => answer.status === status).length]),
  )

const refusals = (answers: ReadonlyArray<{ status: number; json: { error?: object } }>) =>
  answers.filter(({ status }) => status >= 400).map(({ json }) => json)

const emails = (n: number) => Array.from({ length: n }, (_, i) => `v${i}@hearth.example`)

describe('an e-mail address with an account', () => {
  it('cannot begin a registration, in any spelling', async () => {
    await using app = await createOpenApp({ worker: false })
    await app.team()
    const before = await contents(app, registrationTables)
    for (const email of ['admin.1.tenant-1@test.example', ' ADMIN.1.Tenant-1@test.example']) {
      expect(await send(app, 'POST /register/start', { body: { ...person, email } })).toMatchObject({
        status: 409,
        json: { error: { code: 'CONFLICT', field: 'email' } },
      })
    }
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('cannot complete one when taken meanwhile, and nothing is stored', async () => {
    await using app = await createOpenApp({ worker: false })
    await app.copydesk.asSystem().coupons.create({ code: 'SPRING', percentOff: 20, maxRedemptions: 1 })
    const token = await ready(app)
    await app.copydesk
      .asSystem()
      .users.create({ email: person.email, name: 'Ines', password: 'Other-pass-1', role: 'reviewer' })
    const before = await contents(app, registrationTables)
    expect(await complete(app, token, { plan: 'pro', coupon: 'SPRING' })).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT', field: 'email' } },
    })
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('belongs to one of ten concurrent completions', async () => {
    await using app = await createOpenApp({ worker: false })
    const tokens = await Promise.all(Array.from({ length: 10 }, () => ready(app)))
    const answers = await Promise.all(tokens.map((token) => complete(app, token, { plan: 'pro' })))
    expect(tally(answers)).toEqual({ 201: 1, 409: 9 })
    for (const { error } of refusals(answers))
      expect(error).toMatchObject({ code: 'CONFLICT', field: 'email' })
    for (const table of ['tenants', 'users', 'subscriptions', 'invoices', 'sessions'])
      expect(await count(app, table), table).toBe(1)
  })
})

describe('one registration', () => {
  it('is completed once by twenty concurrent requests on two servers', async () => {
    await using app = await createOpenApp({ worker: false })
    const second = await app.another({ worker: false })
    const token = await ready(app)
    const onSecond = async () => {
      const response = await second.fetch(
        new Request('http://copydesk.test/auth/v1/register/complete', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: '{"plan":"starter"}',
        }),
      )
      return { status: response.status, json: JSON.parse(await response.text()) }
    }
    const tries = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? complete(app, token, { plan: 'starter' }) : onSecond(),
    )
    const answers = await Promise.all(tries)
    expect(tally(answers)).toEqual({ 201: 1, 409: 19 })
    for (const { error } of refusals(answers))
      expect(error).toMatchObject({ code: 'CONFLICT', details: { currentStep: 4 } })
    for (const table of ['tenants', 'users', 'subscriptions', 'invoices', 'sessions', 'tenant_profiles'])
      expect(await count(app, table), table).toBe(1)
  })
})

/** Registrations that use one coupon at once; `COPYDESK_REGISTRATIONS=50` is the long form. */
const racers = Number(process.env['COPYDESK_REGISTRATIONS'] ?? 12)

describe('a coupon', () => {
  it('with one redemption left is redeemed once; the other registrations can complete without it', async () => {
    await using app = await createOpenApp({ worker: false })
    await app.copydesk.asSystem().coupons.create({ code: 'LAST', percentOff: 25, maxRedemptions: 1 })
    const tokens = await Promise.all(emails(10).map((email) => ready(app, { person: { email } })))
    const answers = await Promise.all(
      tokens.map((token) => complete(app, token, { plan: 'pro', coupon: 'last' })),
    )
    expect(tally(answers)).toEqual({ 201: 1, 400: 9 })
    for (const { error } of refusals(answers))
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'coupon' })
    expect(await app.copydesk.asSystem().coupons.list()).toMatchObject([
      { redemptions: 1, status: 'used_up' },
    ])
    expect(await count(app, 'coupon_redemptions')).toBe(1)
    expect(await count(app, 'tenants')).toBe(1)
    const loser = tokens[answers.findIndex(({ status }) => status === 400)] as string
    expect((await complete(app, loser, { plan: 'pro' })).status).toBe(201)
  })

  it('is counted exactly under concurrent completions', async () => {
    await using app = await createOpenApp({ worker: false })
    await app.copydesk
      .asSystem()
      .coupons.create({ code: 'SEVEN', amountOff: 500, currency: 'GBP', maxRedemptions: 7 })
    const tokens = await Promise.all(emails(racers).map((email) => ready(app, { person: { email } })))
    const answers = await Promise.all(
      tokens.map((token) => complete(app, token, { plan: 'starter', coupon: 'SEVEN' })),
    )
    expect(tally(answers)).toEqual({ 201: 7, 400: racers - 7 })
    expect(await app.copydesk.asSystem().coupons.list()).toMatchObject([{ redemptions: 7 }])
  })
})

describe('tenants that register concurrently', () => {
  it('get consecutive, unique invoice numbers, though some attempts fail', async () => {
    await using app = await createOpenApp({ worker: false })
    await complete(app, await ready(app), { plan: 'pro' })
    const tokens = await Promise.all(
      [...emails(8), 'v0@hearth.example', 'v1@hearth.example'].map((email) =>
        ready(app, { person: { email } }),
      ),
    )
    const answers = await Promise.all(tokens.map((token) => complete(app, token, { plan: 'agency' })))
    expect(tally(answers)).toEqual({ 201: 8, 409: 2 })
    const rows = await app.db.sql.all<{ number: string }>('select number from invoices order by number')
    expect(rows.map(({ number }) => number.slice(-6))).toEqual(
      Array.from({ length: 9 }, (_, i) => String(i + 1).padStart(6, '0')),
    )
  })

  it('with one domain are all created, but only one gets the domain', async () => {
    await using app = await createOpenApp({ worker: false })
    const tokens = await Promise.all(emails(6).map((email) => ready(app, { person: { email } })))
    const answers = await Promise.all(tokens.map((token) => complete(app, token)))
    expect(tally(answers)).toEqual({ 201: 6 })
    const rows = await app.db.sql.all<{ domain: string | null }>('select domain from tenants')
    expect(rows.map(({ domain }) => domain).filter((domain) => domain !== null)).toEqual(['hearth.example'])
  })
})
