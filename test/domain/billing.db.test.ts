import { describe, expect, it } from 'vitest'
import { maxAmount } from '../../packages/core/src/domain/tenants/plans.ts'
import { choosePlanById, customPlan } from '../../packages/core/src/domain/tenants/plans.ts'
import {
  activateSubscription,
  changeSubscription,
  currentSubscription,
  openSubscription,
} from '../../packages/core/src/domain/tenants/subscriptions.ts'
import { createTestClock } from '../kit/clock.ts'
import { bench, choice } from './billing.ts'
import { contents } from './contents.ts'

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
    await using desk = await bench(clock)
    const tenantId = await desk.tenant(zone)
    await desk.act(async (cmd) => {
      const opened = await openSubscription(cmd, { tenantId, choice: await choice(cmd, 'pro') })
      expect(opened).toMatchObject({ status: 'pending', startedAt: null, nextBillingAt: null })
    })
    const active = await desk.act((cmd) => activateSubscription(cmd, tenantId))
    expect(active).toMatchObject({ status: 'active', startedAt: clock.date(), nextBillingAt: new Date(next) })
    clock.advance(3 * day)
    const again = await desk.act((cmd) => activateSubscription(cmd, tenantId))
    expect(again).toMatchObject({ startedAt: new Date(now), nextBillingAt: new Date(next) })
  })

  it('is one for each tenant, also when two are opened at once', async () => {
    await using desk = await bench()
    const tenantId = await desk.tenant()
    const open = () =>
      desk.act(async (cmd) => openSubscription(cmd, { tenantId, choice: await choice(cmd, 'pro') }))
    const tries = await Promise.allSettled([open(), open(), open()])
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries.filter(({ status }) => status === 'rejected'))
      expect(one).toMatchObject({ reason: { code: 'CONFLICT' } })
    await expect(open()).rejects.toMatchObject({ code: 'CONFLICT' })
    await desk.act(async (cmd) => {
      const current = await currentSubscription(cmd, tenantId)
      if (current) current.status = 'cancelled'
    })
    await open()
    expect(await desk.app.db.sql.all('select status from subscriptions order by id')).toMatchObject([
      { status: 'cancelled' },
      { status: 'pending' },
    ])
  })

  it('that is not there cannot be activated', async () => {
    await using desk = await bench()
    const tenantId = await desk.tenant()
    await expect(desk.act((cmd) => activateSubscription(cmd, tenantId))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    expect(await desk.act((cmd) => currentSubscription(cmd, tenantId))).toBeUndefined()
  })

  it('keeps its price when the plan gets another one', async () => {
    await using desk = await bench()
    const tenantId = await desk.tenant()
    await desk.act(async (cmd) => openSubscription(cmd, { tenantId, choice: await choice(cmd, 'pro') }))
    await desk.app.copydesk.asSystem().plans.setPrice({ plan: 'pro', region: 'US', amount: 1 })
    expect(await desk.act((cmd) => currentSubscription(cmd, tenantId))).toMatchObject({ priceAmount: 9_900 })
  })

  it('moves to another plan without its old discount, and the tenant and its agents with it', async () => {
    await using desk = await bench()
    const tenantId = await desk.tenant()
    await desk.app.copydesk.asSystem().coupons.create({ code: 'HALF', percentOff: 50 })
    await desk.act(async (cmd) =>
      openSubscription(cmd, { tenantId, choice: await choice(cmd, 'pro'), coupon: 'HALF' }),
    )
    await desk.app.db.write((tx) => tx.run("delete from tenant_agents where role = 'analyst'"))
    await desk.act(async (cmd) => {
      const current = (await currentSubscription(cmd, tenantId))!
      await changeSubscription(cmd, current, await choice(cmd, 'agency', { region: 'IN' }))
    })
    expect(await desk.act((cmd) => currentSubscription(cmd, tenantId))).toMatchObject({
      plan: 'agency',
      currency: 'INR',
      priceAmount: 1_999_900,
      couponId: null,
      discountPercent: null,
    })
    expect(await desk.app.db.sql.all('select plan from tenants')).toEqual([{ plan: 'agency' }])
    expect(await desk.app.db.sql.all("select role from tenant_agents where role = 'analyst'")).toHaveLength(1)
  })
})

describe('a plan', () => {
  it('is chosen by any id of the offering', async () => {
    await using desk = await bench()
    const [, , pro] = await desk.app.clientFor().call('auth', 'GET /plans', { query: { country: 'IN' } })
    const yearly = pro?.plans.find(({ billingCycle }) => billingCycle === 'annual')
    await desk.act(async (cmd) => {
      expect(await choosePlanById(cmd, yearly?.id ?? '', 'GB')).toMatchObject({
        plan: 'pro',
        region: 'IN',
        cycle: 'annual',
        amount: 6_999_000,
      })
      expect(await choosePlanById(cmd, pro?.id ?? '', 'GB')).toMatchObject({
        plan: 'pro',
        region: 'GB',
        cycle: 'monthly',
        amount: 7_900,
      })
      await expect(choosePlanById(cmd, cmd.newId(), 'GB')).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'planId',
      })
      await expect(choice(cmd, 'gold')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'plan' })
    })
  })

  const custom = {
    customPlanName: 'Gold',
    customRegionId: 'IN',
    customPrice: 12_345,
    customCycle: 'yearly',
  } as const

  it('can be made for one tenant, which then has the agents of an enterprise', () => {
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
  ])('made for one tenant is refused when %s is %s', (field, value) => {
    expect(() => customPlan({ ...custom, [field]: value })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field }),
    )
  })

  it('is not set to values that do not fit', async () => {
    await using desk = await bench()
    const tables = ['plans', 'plan_prices', 'audit_records']
    const before = await contents(desk.app, tables)
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
      const set = Promise.resolve().then(() => desk.app.copydesk.asSystem().plans.setPrice(change))
      await expect(set, JSON.stringify(change)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field })
    }
    expect(await contents(desk.app, tables)).toEqual(before)
  })
})
