import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { send } from './registrations.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ worker: false })
})
afterAll(() => app[Symbol.asyncDispose]())

const ulid = expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)

interface Offering {
  id: string
  name: string
  plans: Array<{
    id: string
    name: string
    priceAmount: number
    billingCycle: string
    trialDays: number
    region: string
    currency: string
  }>
}

const offerings = async (query = ''): Promise<Offering[]> => (await send(app, `GET /plans${query}`)).json

describe('auth.plans', () => {
  it('returns every plan in order with its prices, without authentication', async () => {
    const { status, json } = await send(app, 'GET /plans')
    expect(status).toBe(200)
    expect(json.map(({ name }: Offering) => name)).toEqual(['free', 'starter', 'pro', 'agency', 'enterprise'])
    expect(json[2]).toEqual({
      id: ulid,
      name: 'pro',
      plans: [
        {
          id: ulid,
          name: 'pro monthly',
          priceAmount: 9_900,
          currency: 'USD',
          billingCycle: 'monthly',
          trialDays: 0,
          region: 'US',
        },
        {
          id: ulid,
          name: 'pro annual',
          priceAmount: 99_000,
          currency: 'USD',
          billingCycle: 'annual',
          trialDays: 0,
          region: 'US',
        },
      ],
    })
    expect(json[0].plans).toMatchObject([{ priceAmount: 0, billingCycle: 'monthly' }])
  })

  it.each([
    ['US', 'US', 'USD'],
    ['IN', 'IN', 'INR'],
    ['GB', 'GB', 'GBP'],
    ['JE', 'GB', 'GBP'],
    ['DE', 'EU', 'EUR'],
    ['fr', 'EU', 'EUR'],
    ['HR', 'EU', 'EUR'],
    ['CH', 'US', 'USD'],
    ['BR', 'US', 'USD'],
    ['ZZ', 'US', 'USD'],
    ['EU', 'US', 'USD'],
  ])('returns for the country %s the prices of %s', async (country, region, currency) => {
    const plans = (await offerings(`?country=${country}`)).flatMap((offering) => offering.plans)
    expect(new Set(plans.map((plan) => plan.region))).toEqual(new Set([region]))
    expect(new Set(plans.map((plan) => plan.currency))).toEqual(new Set([currency]))
    expect(plans.every(({ priceAmount }) => Number.isSafeInteger(priceAmount))).toBe(true)
  })

  it.each(['', 'D', 'DEU', '12', 'D%00', '%E2%82%AC%E2%82%AC', '../', "D'"])(
    'rejects %j as a country',
    async (country) => {
      expect(await send(app, `GET /plans?country=${country}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'VALIDATION_ERROR', field: 'country' } },
      })
    },
  )

  it('rejects two country parameters', async () => {
    expect((await send(app, 'GET /plans?country=DE&country=FR')).status).toBe(400)
  })

  it('returns the same ids on every server and after every start, and keeps changed prices', async () => {
    const { plans } = app.copydesk.asSystem()
    await plans.setPrice({ plan: 'starter', region: 'IN', amount: 149_900, trialDays: 14 })
    const before = await offerings('?country=IN')
    const other = await app.another({ worker: false })
    const response = await other.fetch(new Request('http://copydesk.test/auth/v1/plans?country=IN'))
    expect(JSON.parse(await response.text())).toEqual(before)
    expect(before[1]?.plans[0]).toMatchObject({ priceAmount: 149_900, trialDays: 14 })
    // The trial is the plan's, the price is the region's.
    expect((await offerings())[1]?.plans[0]).toMatchObject({ priceAmount: 2_900, trialDays: 14 })
    await plans.setPrice({ plan: 'starter', region: 'IN', trialDays: 0 })
  })

  it('omits prices of quarterly billing', async () => {
    await app.copydesk
      .asSystem()
      .plans.setPrice({ plan: 'agency', region: 'GB', cycle: 'quarterly', amount: 60_000 })
    const plans = (await offerings('?country=GB')).flatMap((offering) => offering.plans)
    expect(plans.map((plan) => plan.billingCycle)).not.toContain('quarterly')
  })
})
