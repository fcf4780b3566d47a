import { describe, expect, it } from 'vitest'
import {
  choosePlanById,
  customPlan,
  maxAmount,
} from '../../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  activateSubscription,
  changeSubscription,
  currentSubscription,
  openSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { contents } from '../contents.ts'
import { bench, choice } from './billing.ts'

const day = 86_400_000

describe('a subscription', () => {
  it.each([
    ['2026-04-10T09:00:00Z', 'Europe/London', '2026-04-30T23:00:00.000Z'],
    ['2026-12-31T23:30:00Z', 'UTC', '2027-01-01T00:00:00.000Z'],
    // Already the first of the month there.
    ['2026-12-31T23:30:00Z', 'Asia/Kolkata', '2027-01-31T18:30:00.000Z'],
    ['2027-02-01T03:00:00Z', 'America/New_York', '2027-02-01T05:00:00.000Z'],
    ['2027-01-31T12:00:00Z', 'Pacific/Kiritimati', '2027-02-28T10:00:00.000Z'],
  ])('activated at %s in %s is billed next at %s', async (now, zone, next) => {
    const clock = createTestClock(Date.parse(now))
    await using harness = await bench(clock)
    const tenantId = await harness.tenant(zone)
    await harness.act(async (txn) => {
      const opened = await openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') })
      expect(opened).toMatchObject({ status: 'pending', startedAt: null, nextBillingAt: null })
    })
    const active = await harness.act((txn) => activateSubscription(txn, tenantId))
    expect(active).toMatchObject({ status: 'active', startedAt: clock.date(), nextBillingAt: new Date(next) })
    clock.advance(3 * day)
    const again = await harness.act((txn) => activateSubscription(txn, tenantId))
    expect(again).toMatchObject({ startedAt: new Date(now), nextBillingAt: new Date(next) })
  })

  it('exists once per tenant, also after concurrent requests', async () => {
    await using harness = await bench()
    const tenantId = await harness.tenant()
    const open = () =>
      harness.act(async (txn) => openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') }))
    const tries = await Promise.allSettled([open(), open(), open()])
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries.filter(({ status }) => status === 'rejected'))
      expect(one).toMatchObject({ reason: { code: 'CONFLICT' } })
    await expect(open()).rejects.toMatchObject({ code: 'CONFLICT' })
    await harness.act(async (txn) => {
      const current = await currentSubscription(txn, tenantId)
      if (current) current.status = 'cancelled'
    })
    await open()
    expect(await harness.app.db.sql.all('select status from subscriptions order by id')).toMatchObject([
      { status: 'cancelled' },
      { status: 'pending' },
    ])
  })

  it('that does not exist cannot be activated', async () => {
    await using harness = await bench()
    const tenantId = await harness.tenant()
    await expect(harness.act((txn) => activateSubscription(txn, tenantId))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    expect(await harness.act((txn) => currentSubscription(txn, tenantId))).toBeUndefined()
  })

  it('keeps its price when the price of the plan changes', async () => {
    await using harness = await bench()
    const tenantId = await harness.tenant()
    await harness.act(async (txn) => openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') }))
    await harness.app.copydesk.asSystem().plans.setPrice({ plan: 'pro', region: 'US', amount: 1 })
    expect(await harness.act((txn) => currentSubscription(txn, tenantId))).toMatchObject({
      priceAmount: 9_900,
    })
  })

  it('changes its plan without the old discount, and updates the tenant and its agents', async () => {
    await using harness = await bench()
    const tenantId = await harness.tenant()
    await harness.app.copydesk.asSystem().coupons.create({ code: 'HALF', percentOff: 50 })
    await harness.act(async (txn) =>
      openSubscription(txn, { tenantId, choice: await choice(txn, 'pro'), coupon: 'HALF' }),
    )
    await harness.app.db.write((tx) => tx.run("delete from tenant_agents where role = 'analyst'"))
    await harness.act(async (txn) => {
      const current = (await currentSubscription(txn, tenantId))!
      await changeSubscription(txn, current, await choice(txn, 'agency', { region: 'IN' }))
    })
    expect(await harness.act((txn) => currentSubscription(txn, tenantId))).toMatchObject({
      plan: 'agency',
      currency: 'INR',
      priceAmount: 1_999_900,
      couponId: null,
      discountPercent: null,
    })
    expect(await harness.app.db.sql.all('select plan from tenants')).toEqual([{ plan: 'agency' }])
    expect(
      await harness.app.db.sql.all("select role from tenant_agents where role = 'analyst'"),
    ).toHaveLength(1)
  })
})

describe('a plan', () => {
  it('can be chosen by any id of the offering', async () => {
    await using harness = await bench()
    const [, , pro] = await harness.app.clientFor().call('auth', 'GET /plans', { query: { country: 'IN' } })
    const yearly = pro?.plans.find(({ billingCycle }) => billingCycle === 'annual')
    await harness.act(async (txn) => {
      expect(await choosePlanById(txn, yearly?.id ?? '', 'GB')).toMatchObject({
        plan: 'pro',
        region: 'IN',
        cycle: 'annual',
        amount: 6_999_000,
      })
      expect(await choosePlanById(txn, pro?.id ?? '', 'GB')).toMatchObject({
        plan: 'pro',
        region: 'GB',
        cycle: 'monthly',
        amount: 7_900,
      })
      await expect(choosePlanById(txn, txn.newId(), 'GB')).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'planId',
      })
      await expect(choice(txn, 'gold')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'plan' })
    })
  })

  const custom = {
    customPlanName: 'Gold',
    customRegionId: 'IN',
    customPrice: 12_345,
    customCycle: 'yearly',
  } as const

  it('can be created for one tenant, which then gets the agents of an enterprise', () => {
    expect(customPlan(custom)).toMatchObject({
      plan: 'enterprise',
      label: 'Gold',
      priceId: null,
      region: 'IN',
      currency: 'INR',
      amount: 12_345,
      cycle: 'annual',
    })
    expect(customPlan({ ...custom, customCycle: 'quarterly' })).toMatchObject({ cycle: 'quarterly' })
  })

  it.each([
    ['customPlanName', '  '],
    ['customPlanName', 'x'.repeat(101)],
    ['customRegionId', 'ZZ'],
    ['customRegionId', 'toString'],
    ['customPrice', -1],
    ['customPrice', 0.5],
    ['customPrice', Number.NaN],
    ['customPrice', maxAmount + 1],
  ])('created for one tenant is rejected when %s is %s', (field, value) => {
    expect(() => customPlan({ ...custom, [field]: value })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field }),
    )
  })

  it('cannot be set to invalid values', async () => {
    await using harness = await bench()
    const tables = ['plans', 'plan_prices', 'audit_records']
    const before = await contents(harness.app, tables)
    const wrong = [
      [{ plan: 'gold', region: 'US', amount: 1 }, 'plan'],
      [{ plan: 'pro', region: 'MARS', amount: 1 }, 'region'],
      [{ plan: 'pro', region: 'US', amount: 1.5 }, 'amount'],
      [{ plan: 'pro', region: 'US', amount: -1 }, 'amount'],
      [{ plan: 'pro', region: 'US', trialDays: 366 }, 'trialDays'],
      [{ plan: 'pro', region: 'US', trialDays: 0.5 }, 'trialDays'],
      [{ plan: 'pro', region: 'US', cycle: 'quarterly', trialDays: 3 }, 'cycle'],
    ] as const
    for (const [change, field] of wrong) {
      const set = Promise.resolve().then(() => harness.app.copydesk.asSystem().plans.setPrice(change))
      await expect(set, JSON.stringify(change)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field })
    }
    expect(await contents(harness.app, tables)).toEqual(before)
  })
})
