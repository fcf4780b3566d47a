import { describe, expect, it } from 'vitest'
import { creditInvoice } from '../../../packages/core/src/domain/accounts/billing/invoices/credit-notes.ts'
import { createInvoice } from '../../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import { issueInvoice } from '../../../packages/core/src/domain/accounts/billing/invoices/issue.ts'
import {
  changeSubscription,
  currentSubscription,
  openSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { saveProfile } from '../../../packages/core/src/domain/accounts/tenants/profiles.ts'
import { createTestClock } from '../../kit/clock.ts'
import { bench, choice } from './billing.ts'
import { invoicesOf, subscribed, subscriptionOf } from './billing-rig.ts'

const day = 86_400_000
const hour = 3_600_000

describe('a change of plan', () => {
  it('made three times on one day adds up exactly, with credit first', async () => {
    const clock = createTestClock(Date.parse('2026-04-01T00:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness)
    const change = (name: string) =>
      harness.act(async (txn) => {
        const current = await currentSubscription(txn, tenantId)
        if (current) await changeSubscription(txn, current, await choice(txn, name))
      })
    clock.advance(15 * day)
    await change('agency')
    clock.advance(5 * hour)
    await change('starter')
    clock.advance(5 * hour)
    await change('pro')
    const whole = 30 * day
    const rest = (price: number, hours: number) => Math.round((price * (15 * day - hours * hour)) / whole)
    const found = await invoicesOf(harness, tenantId)
    expect(found.map(({ type, lines }) => [type, lines.map(({ amount }) => amount)])).toEqual([
      ['plan_change', [-rest(9_900, 0), rest(29_900, 0)]],
      // Amounts of a credit note are positive.
      ['credit_note', [rest(29_900, 5), -rest(2_900, 5)]],
      ['plan_change', [-rest(2_900, 10), rest(9_900, 10)]],
    ])
    const balance = rest(29_900, 5) - rest(2_900, 5)
    const [upgrade, note, back] = found
    expect(upgrade).toMatchObject({ status: 'pending', amount: rest(29_900, 0) - rest(9_900, 0), credit: 0 })
    expect(note).toMatchObject({ status: 'refunded', amount: balance, number: 'CN-2026-000001' })
    const charge = rest(9_900, 10) - rest(2_900, 10)
    expect(back).toMatchObject({ status: 'paid', amount: 0, credit: charge, number: 'INV-2026-000002' })
    expect((await subscriptionOf(harness, tenantId)).credit).toBe(balance - charge)
    for (const { subtotal, tax, amount, credit, type, lines } of found) {
      expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(subtotal)
      const paid = type === 'credit_note' ? subtotal + tax : amount + credit
      expect(paid).toBe(subtotal + tax)
      expect(amount).toBeGreaterThanOrEqual(0)
    }
  })

  it('costs nothing when it is undone at the same instant, and nothing before billing began', async () => {
    const clock = createTestClock(Date.parse('2026-04-11T07:13:21Z'))
    await using harness = await bench(clock)
    const pending = await harness.tenant('UTC')
    const tenantId = await subscribed(harness)
    clock.advance(3 * day + 1_234)
    await harness.act(async (txn) => {
      await openSubscription(txn, { tenantId: pending, choice: await choice(txn, 'pro') })
    })
    const change = (id: string, name: string) =>
      harness.act(async (txn) => {
        const current = await currentSubscription(txn, id)
        if (current) await changeSubscription(txn, current, await choice(txn, name))
      })
    await change(pending, 'agency')
    expect(await invoicesOf(harness, pending)).toEqual([])
    await change(tenantId, 'starter')
    await change(tenantId, 'pro')
    const [note, back] = await invoicesOf(harness, tenantId)
    expect(back).toMatchObject({ amount: 0, credit: note?.amount, status: 'paid' })
    expect((await subscriptionOf(harness, tenantId)).credit).toBe(0)
  })

  it('to another cycle begins with this month, and one to another currency is refused', async () => {
    const clock = createTestClock(Date.parse('2026-04-16T00:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness)
    const change = (changes: Parameters<typeof choice>[2]) =>
      harness.act(async (txn) => {
        const current = await currentSubscription(txn, tenantId)
        if (current) await changeSubscription(txn, current, await choice(txn, 'pro', changes))
      })
    await expect(change({ region: 'IN' })).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    expect(await invoicesOf(harness, tenantId)).toEqual([])
    await change({ cycle: 'annual', amount: 99_000 })
    expect(await invoicesOf(harness, tenantId)).toMatchObject([
      { lines: [{ amount: -9_900 }, { amount: Math.round((99_000 * 350) / 365) }] },
    ])
    expect(await subscriptionOf(harness, tenantId)).toMatchObject({
      start: '2026-04-01T00:00:00.000Z',
      next: '2027-04-01T00:00:00.000Z',
    })
  })
})

describe('invoice numbers', () => {
  it('have no gap under parallel transactions of which some are rolled back', async () => {
    await using harness = await bench()
    const tenants: string[] = []
    for (let n = 0; n < 5; n += 1) tenants.push(await subscribed(harness))
    const issue = (tenantId: string, isBad: boolean) =>
      harness.act(async (txn) => {
        const current = await currentSubscription(txn, tenantId)
        if (current) await createInvoice(txn, current)
        if (isBad) throw new Error('rolled back')
      })
    const tries = Array.from({ length: 40 }, (_, n) => issue(tenants[n % 5] ?? '', n % 3 === 0))
    const done = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length
    expect(done).toBe(26)
    const rows = await harness.app.db.sql.all<{ number: string }>(
      'select number from invoices order by number',
    )
    expect(rows.map(({ number }) => Number(number.slice(-6)))).toEqual(
      Array.from({ length: done }, (_, n) => n + 1),
    )
  })
})

describe('a credit note', () => {
  it('takes an open invoice back, and what was paid becomes credit, never more than the invoice', async () => {
    await using harness = await bench()
    const tenantId = await subscribed(harness)
    const { id } = await harness.act(async (txn) =>
      createInvoice(txn, (await currentSubscription(txn, tenantId)) as never),
    )
    const credit = (amount?: number) =>
      harness.act((txn) =>
        creditInvoice(txn, id, { reason: 'Wrong *plan*', ...(amount !== undefined && { amount }) }),
      )
    expect(await credit(900)).toMatchObject({ number: 'CN-2026-000001', amount: 900, balance: 0 })
    for (const wrong of [0, 9_001, 1.5])
      await expect(credit(wrong), String(wrong)).rejects.toMatchObject({ field: 'amount' })
    await harness.act(async (txn) => {
      await txn.tx.run("update invoices set status = 'paid' where id = ?", [id])
    })
    expect(await credit()).toMatchObject({ number: 'CN-2026-000002', amount: 9_000, balance: 9_000 })
    await expect(credit()).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    expect((await invoicesOf(harness, tenantId))[0]).toMatchObject({
      status: 'refunded',
      amount: 9_900,
      refunded: 9_900,
    })
    const next = await harness.act(async (txn) =>
      createInvoice(txn, (await currentSubscription(txn, tenantId)) as never),
    )
    expect(next).toMatchObject({ amount: 900, credit: 9_000, status: 'pending' })
  })
})

describe('the credit notes of one invoice', () => {
  it('take back its tax together, however it is parted among them', async () => {
    const invoicing = { issuer: { name: 'Desk', country: 'DE' }, taxRates: { DE: 19 } }
    await using harness = await bench(undefined, { invoicing })
    const tenantId = await subscribed(harness)
    const { id } = await harness.act(async (txn) => {
      await saveProfile(txn, tenantId, { billingCountry: 'DE' })
      await txn.em.flush()
      return createInvoice(txn, (await currentSubscription(txn, tenantId)) as never)
    })
    const { invoices } = harness.app.copydesk.asSystem()
    for (const more of [{ amount: 4 }, { amount: 4 }, { amount: 4 }, {}])
      await invoices.credit(id, { reason: 'Not used', ...more })
    const [invoice, ...notes] = await invoicesOf(harness, tenantId)
    const sumOf = (field: 'tax' | 'amount') => notes.reduce((sum, note) => sum + note[field], 0)
    expect(invoice).toMatchObject({ tax: 1_881, amount: 11_781, refunded: 11_781 })
    expect({ tax: sumOf('tax'), amount: sumOf('amount') }).toEqual({ tax: 1_881, amount: 11_781 })
  })
})

describe('taxes', () => {
  it('are rounded line by line, follow the country of the buyer, and a part is withheld where the buyer deducts it', async () => {
    await using harness = await bench(undefined, {
      invoicing: {
        issuer: { name: 'Desk Pvt', country: 'IN', state: 'Karnataka' },
        taxRates: { IN: 18, DE: 19 },
        tdsRate: 10,
      },
    })
    const issued = async (country: string, tdsDeduction: boolean) => {
      const tenantId = await subscribed(harness)
      return harness.act(async (txn) => {
        await saveProfile(txn, tenantId, { billingCountry: country, tdsDeduction })
        await txn.em.flush()
        const items = [3, 3, 101].map((amount) => ({ kind: 'plan' as const, description: 'x', amount }))
        const current = (await currentSubscription(txn, tenantId)) as never
        return issueInvoice(txn, current, { type: 'subscription', items })
      })
    }
    expect(await issued('IN', true)).toMatchObject({
      subtotal: 107,
      tax: 1 + 1 + 18,
      amount: 127,
      withheld: 11,
    })
    expect(await issued('DE', false)).toMatchObject({ tax: 1 + 1 + 19, amount: 128, withheld: 0 })
    expect(await issued('FR', false)).toMatchObject({ tax: 0, amount: 107, withheld: 0 })
  })
})
