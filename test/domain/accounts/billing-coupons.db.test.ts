import { describe, expect, it } from 'vitest'
import { createInvoice } from '../../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import type { NewCoupon } from '../../../packages/core/src/domain/accounts/billing/plans/coupons.ts'
import {
  currentSubscription,
  openSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { contents } from '../contents.ts'
import { type Bench, bench, choice } from './billing.ts'

const day = 86_400_000
const tables = ['coupons', 'coupon_redemptions', 'subscriptions', 'audit_records']
const coupons = ({ app }: Bench) => app.copydesk.asSystem().coupons

/** Opens a subscription with a coupon for a tenant of its own. */
async function take(harness: Bench, coupon: string, plan = 'pro', region: 'US' | 'GB' = 'US') {
  const tenantId = await harness.tenant()
  return harness.act(async (txn) => {
    const opened = await openSubscription(txn, {
      tenantId,
      choice: await choice(txn, plan, { region }),
      coupon,
    })
    return createInvoice(txn, opened)
  })
}

describe('a coupon', () => {
  it('discounts a percentage or an amount, and never more than the price', async () => {
    await using harness = await bench()
    await coupons(harness).create({ code: 'third', percentOff: 33 })
    await coupons(harness).create({ code: 'TENNER', amountOff: 1_000, currency: 'USD' })
    await coupons(harness).create({ code: 'HUGE', amountOff: 999_999, currency: 'USD' })
    expect(await take(harness, ' Third ')).toMatchObject({ amount: 6_633, discount: 3_267 })
    expect(await take(harness, 'tenner')).toMatchObject({ amount: 8_900, discount: 1_000 })
    expect(await take(harness, 'HUGE')).toMatchObject({ amount: 0, discount: 9_900 })
  })

  it('is restricted to its plans, its currency and its dates', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    const now = clock.now()
    await coupons(harness).create({ code: 'PRO-ONLY', percentOff: 10, plans: ['pro'] })
    await coupons(harness).create({ code: 'DOLLARS', amountOff: 100, currency: 'USD' })
    await coupons(harness).create({
      code: 'WEEK',
      percentOff: 10,
      validFrom: new Date(now + day),
      validUntil: new Date(now + 8 * day),
    })
    await harness.tenant()
    const refused = async (...args: [string, string?, 'GB'?]) => {
      const before = await contents(harness.app, [
        'coupons',
        'coupon_redemptions',
        'subscriptions',
        'invoices',
      ])
      await expect(take(harness, ...args), args.join(' ')).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'coupon',
      })
      expect(
        await contents(harness.app, ['coupons', 'coupon_redemptions', 'subscriptions', 'invoices']),
      ).toEqual(before)
    }
    await refused('PRO-ONLY', 'agency')
    await refused('PRO-ONLY', 'free')
    await refused('DOLLARS', 'pro', 'GB')
    await refused('DOLLARS', 'free')
    await refused('NOSUCH')
    await refused("' or 1=1 --")
    await refused('WEEK')
    clock.advance(day)
    await take(harness, 'WEEK')
    clock.advance(7 * day - 1)
    await take(harness, 'WEEK')
    clock.advance(1)
    await refused('WEEK')
    expect(
      (await coupons(harness).list()).map(({ code, status, redemptions }) => [code, status, redemptions]),
    ).toEqual([
      ['PRO-ONLY', 'active', 0],
      ['DOLLARS', 'active', 0],
      ['WEEK', 'expired', 2],
    ])
  })

  it('is redeemed once by a tenant, also for a later subscription', async () => {
    await using harness = await bench()
    await coupons(harness).create({ code: 'ONCE', percentOff: 10 })
    const tenantId = await harness.tenant()
    const open = () =>
      harness.act(async (txn) =>
        openSubscription(txn, { tenantId, choice: await choice(txn, 'pro'), coupon: 'ONCE' }),
      )
    await open()
    await harness.act(async (txn) => {
      ;(await currentSubscription(txn, tenantId))!.status = 'cancelled'
    })
    await expect(open()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'coupon' })
    expect(await coupons(harness).list()).toMatchObject([{ redemptions: 1 }])
  })

  it('cannot be redeemed once disabled; existing discounts remain', async () => {
    await using harness = await bench()
    await coupons(harness).create({ code: 'GONE', percentOff: 50 })
    await take(harness, 'GONE')
    expect(await coupons(harness).disable('gone')).toMatchObject({ code: 'GONE', status: 'disabled' })
    const before = await contents(harness.app, tables)
    expect(await coupons(harness).disable('GONE')).toMatchObject({ status: 'disabled' })
    expect(await contents(harness.app, tables)).toEqual(before)
    await expect(take(harness, 'GONE')).rejects.toMatchObject({ field: 'coupon' })
    expect(await harness.app.db.sql.all('select discount_percent from subscriptions')).toEqual([
      { discount_percent: 50 },
    ])
    await expect(coupons(harness).disable('NOSUCH')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('cannot be created from invalid values', async () => {
    await using harness = await bench()
    const past = new Date(Date.UTC(2020, 0, 1))
    const wrong = [
      [{ code: 'A B', percentOff: 10 }, 'code'],
      [{ code: 'AB', percentOff: 10 }, 'code'],
      [{ code: 'X'.repeat(41), percentOff: 10 }, 'code'],
      [{ code: 'ABC' }, 'percentOff'],
      [{ code: 'ABC', percentOff: 10, amountOff: 5, currency: 'USD' }, 'percentOff'],
      [{ code: 'ABC', percentOff: 0 }, 'percentOff'],
      [{ code: 'ABC', percentOff: 101 }, 'percentOff'],
      [{ code: 'ABC', percentOff: 9.5 }, 'percentOff'],
      [{ code: 'ABC', amountOff: 0, currency: 'USD' }, 'amountOff'],
      [{ code: 'ABC', amountOff: 1.5, currency: 'USD' }, 'amountOff'],
      [{ code: 'ABC', amountOff: 100 }, 'currency'],
      [{ code: 'ABC', amountOff: 100, currency: 'XYZ' }, 'currency'],
      [{ code: 'ABC', percentOff: 10, currency: 'USD' }, 'currency'],
      [{ code: 'ABC', percentOff: 10, validUntil: past }, 'validUntil'],
      [{ code: 'ABC', percentOff: 10, validFrom: new Date(Number.NaN) }, 'validFrom'],
      [{ code: 'ABC', percentOff: 10, maxRedemptions: 0 }, 'maxRedemptions'],
      [{ code: 'ABC', percentOff: 10, maxRedemptions: 2 ** 40 }, 'maxRedemptions'],
      [{ code: 'ABC', percentOff: 10, plans: ['gold'] }, 'plans'],
      [{ code: 'ABC', percentOff: 10, plans: [] }, 'plans'],
    ] as const
    for (const [input, field] of wrong) {
      const made = Promise.resolve().then(() => coupons(harness).create(input as NewCoupon))
      await expect(made, JSON.stringify(input)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field })
    }
    expect(await contents(harness.app, tables)).toMatchObject({ coupons: [], audit_records: [] })
  })

  it('has a unique code, ignoring case', async () => {
    await using harness = await bench()
    const tries = await Promise.allSettled(
      ['Spring', 'SPRING', 'spring'].map((code) => coupons(harness).create({ code, percentOff: 10 })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries.filter(({ status }) => status === 'rejected'))
      expect(one).toMatchObject({ reason: { code: 'CONFLICT', field: 'code' } })
    expect(await coupons(harness).list()).toMatchObject([{ code: 'SPRING' }])
  })
})
