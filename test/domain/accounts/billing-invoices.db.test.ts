import { describe, expect, it } from 'vitest'
import {
  closeInvoices,
  createInvoice,
} from '../../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import { maxAmount } from '../../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  currentSubscription,
  openSubscription,
  setDiscount,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { contents } from '../contents.ts'
import { bench, choice } from './billing.ts'

const day = 86_400_000
const billing = [
  'subscriptions',
  'invoices',
  'coupon_redemptions',
  'coupons',
  'number_sequences',
  'audit_records',
]

describe('an invoice', () => {
  it('is due in seven days, is numbered from one each year, and reuses numbers of rolled-back transactions', async () => {
    const clock = createTestClock(Date.parse('2026-12-30T10:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await harness.tenant()
    await harness.act(async (txn) => openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') }))
    const issue = (andFail = false) =>
      harness.act(async (txn) => {
        const invoice = await createInvoice(txn, (await currentSubscription(txn, tenantId))!)
        await txn.em.flush()
        if (andFail) throw new Error('never mind')
        return invoice
      })
    expect(await issue()).toMatchObject({
      number: 'INV-2026-000001',
      type: 'subscription',
      status: 'pending',
      plan: 'pro',
      amount: 9_900,
      currency: 'USD',
      discount: 0,
      issuedOn: clock.date(),
      dueDate: new Date('2027-01-06T10:00:00Z'),
      paidOn: null,
    })
    await expect(issue(true)).rejects.toThrow('never mind')
    const many = await Promise.all(Array.from({ length: 10 }, () => issue()))
    expect(many.map(({ number }) => number).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, i) => `INV-2026-0000${String(i + 2).padStart(2, '0')}`),
    )
    clock.advance(3 * day)
    expect(await issue()).toMatchObject({ number: 'INV-2027-000001' })
  })

  it('is paid once, together with all open invoices of its tenant only', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    const ids = [await harness.tenant('UTC', 'A'), await harness.tenant('UTC', 'B')] as [string, string]
    for (const tenantId of ids)
      await harness.act(async (txn) => {
        const opened = await openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') })
        await createInvoice(txn, opened)
        ;(await createInvoice(txn, opened)).status = 'failed'
      })
    const settle = () => harness.act(async (txn) => (await closeInvoices(txn, ids[0], 'pay_1')).length)
    expect(
      await Promise.all([settle(), settle()]).then((counts) => counts.toSorted((a, b) => a - b)),
    ).toEqual([0, 2])
    const rows = await harness.app.db.sql.all(
      'select tenant_id, status, payment_entity_id as p from invoices order by id',
    )
    expect(rows).toEqual([
      { tenant_id: ids[0], status: 'paid', p: 'pay_1' },
      { tenant_id: ids[0], status: 'paid', p: 'pay_1' },
      { tenant_id: ids[1], status: 'pending', p: null },
      { tenant_id: ids[1], status: 'failed', p: null },
    ])
  })
})

describe('money', () => {
  it('has whole units that add up, with any discount', async () => {
    await using harness = await bench()
    for (const [price, percent, due, off] of [
      [999, 33, 669, 330],
      [1, 50, 0, 1],
      [3, 50, 1, 2],
      [1, 49, 1, 0],
      [9_900, 0, 9_900, 0],
      [9_900, 1, 9_801, 99],
      [9_900, 100, 0, 9_900],
      [maxAmount, 33, 670_000_000_000, 330_000_000_000],
      [maxAmount - 1, 1, 989_999_999_999, 10_000_000_000],
    ] as const) {
      const tenantId = await harness.tenant()
      const { id, amount, discount } = await harness.act(async (txn) => {
        const chosen = await choice(txn, 'pro', { amount: price })
        const opened = await openSubscription(txn, { tenantId, choice: chosen })
        setDiscount(txn, opened, percent)
        return createInvoice(txn, opened)
      })
      expect([amount, discount], `${price} less ${percent} %`).toEqual([due, off])
      expect(amount + discount).toBe(price)
      const row = await harness.app.db.sql.get<{ amount: unknown }>(
        'select amount from invoices where id = ?',
        [id],
      )
      expect(Number(row?.amount)).toBe(due)
    }
  })

  it('accepts only whole percentages from 0 to 100 as discount', async () => {
    await using harness = await bench()
    const tenantId = await harness.tenant()
    await harness.act(async (txn) => openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') }))
    const before = await contents(harness.app, billing)
    for (const percent of [-1, 101, 12.5, Number.NaN]) {
      const change = harness.act(async (txn) => {
        setDiscount(txn, (await currentSubscription(txn, tenantId))!, percent)
      })
      await expect(change, String(percent)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'value',
      })
    }
    expect(await contents(harness.app, billing)).toEqual(before)
  })
})
