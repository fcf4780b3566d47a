import { describe, expect, it } from 'vitest'
import {
  activateSubscription,
  currentSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { endTrial, startTrial } from '../../../packages/core/src/domain/accounts/billing/trials.ts'
import type { TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { complete, createOpenApp, ready } from '../../surfaces/auth/registrations.ts'
import { contents } from '../contents.ts'
import { bench } from './billing.ts'

const day = 86_400_000

const state = async (app: TestApp) => {
  const row = await app.db.sql.get<{ tenant: string; subscription: string }>(
    `select t.status as tenant, s.status as subscription from tenants t join subscriptions s on s.tenant_id = t.id`,
  )
  return `${row?.tenant}, ${row?.subscription}`
}

async function onTrial(app: TestApp, plan: 'free' | 'pro' = 'pro', coupon?: string) {
  await app.copydesk.asSystem().plans.setPrice({ plan, region: 'GB', trialDays: 14 })
  const { status, json } = await complete(app, await ready(app), { plan, ...(coupon && { coupon }) })
  expect(status).toBe(201)
  return json.tenantId as string
}

describe('a plan with trial days', () => {
  it('activates its tenant at once, and charges nothing before the trial ends', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    await onTrial(harness.app)
    expect(await state(harness.app)).toBe('trial, trialing')
    const [invoice] = await harness.app.db.sql.all<{ due_date: number | Date }>('select * from invoices')
    expect(new Date(invoice?.due_date ?? 0)).toEqual(new Date(clock.now() + 14 * day))
  })

  it('returns an unpaid tenant to onboarding at its end', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ clock })
    await onTrial(app)
    clock.advance(14 * day - 1)
    expect(await state(app)).toBe('trial, trialing')
    clock.advance(10_000)
    await app.until(async () => (await state(app)) === 'onboarding, past_due', 'the trial has ended')
    const [record] = await app.db.sql.all<{ action: string }>(
      "select action from audit_records where action = 'tenant.trial_ended'",
    )
    expect(record).toBeDefined()
    const { user } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: 'ines@hearth.example', password: 'Rolled-oats-7', app: 'dashboard' },
    })
    expect(user.role).toBe('admin')
  })

  it('changes nothing for a tenant that has paid, or whose trial continues', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    const tenantId = await onTrial(harness.app)
    const subscription = await harness.act(async (txn) => {
      const found = (await currentSubscription(txn, tenantId))!
      await startTrial(txn, found, 7)
      return found
    })
    expect(subscription.trialEndsAt).toEqual(new Date(clock.now() + 21 * day))
    const end = () => harness.act((txn) => endTrial(txn, { subscriptionId: subscription.id }))
    clock.advance(14 * day)
    await end()
    expect(await state(harness.app)).toBe('trial, trialing')
    await harness.act((txn) => activateSubscription(txn, tenantId))
    clock.advance(7 * day)
    const before = await contents(harness.app, ['tenants', 'subscriptions', 'audit_records'])
    await end()
    expect(await contents(harness.app, ['tenants', 'subscriptions', 'audit_records'])).toEqual(before)
  })

  it('cannot be extended once it is paid, nor while the tenant is suspended', async () => {
    await using harness = await bench()
    const tenantId = await onTrial(harness.app)
    const extend = () =>
      harness.act(async (txn) => startTrial(txn, (await currentSubscription(txn, tenantId))!, 7))
    await harness.app.db.write((tx) => tx.run("update tenants set status = 'suspended'"))
    await expect(extend()).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    await harness.app.db.write((tx) => tx.run("update tenants set status = 'trial'"))
    await harness.act((txn) => activateSubscription(txn, tenantId))
    await expect(extend()).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
  })

  it('has its trial also when it is free, and none when a coupon covers the whole price', async () => {
    await using harness = await bench()
    await onTrial(harness.app, 'free')
    expect(await state(harness.app)).toBe('trial, trialing')
    await using other = await bench()
    await other.app.copydesk.asSystem().coupons.create({ code: 'GIFT', percentOff: 100 })
    await onTrial(other.app, 'pro', 'GIFT')
    expect(await state(other.app)).toBe('active, active')
  })
})
