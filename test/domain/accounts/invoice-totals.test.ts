import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decimalsOf,
  formatAmount,
  formatMicros,
  partOf,
} from '../../../packages/core/src/domain/accounts/billing/amounts.ts'
import { totalsOf } from '../../../packages/core/src/domain/accounts/billing/invoices/totals.ts'
import { taxParts } from '../../../packages/core/src/domain/accounts/billing/invoicing.ts'
import { addMonths } from '../../../packages/core/src/domain/accounts/billing/periods/dates.ts'
import { restOf } from '../../../packages/core/src/domain/accounts/billing/proration.ts'
import { rateUsage } from '../../../packages/core/src/domain/accounts/billing/usage/rating.ts'

const amount = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 })
const rate = fc.integer({ min: 0, max: 10_000 })
const item = amount.map((value) => ({ kind: 'plan' as const, description: 'x', amount: value }))
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)

describe('the totals of an invoice', () => {
  it('are the sum of its lines, are never below zero, and lose no credit', () => {
    const terms = fc.record({ taxRate: rate, tdsRate: rate, balance: fc.nat(1_000_000_000_000) })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), terms, (items, given) => {
        const totals = totalsOf(items, given)
        expect(totals.subtotal).toBe(sum(items.map((one) => one.amount)))
        expect(totals.tax).toBe(sum(totals.taxes))
        expect(totals.amount).toBeGreaterThanOrEqual(0)
        expect(totals.credit).toBeGreaterThanOrEqual(0)
        expect(totals.balance).toBeGreaterThanOrEqual(0)
        expect(totals.withheld).toBeGreaterThanOrEqual(0)
        expect(totals.withheld).toBeLessThanOrEqual(totals.amount)
        // What is asked for, and what the credit changes by, is what the lines come to.
        expect(totals.amount + given.balance - totals.balance).toBe(totals.subtotal + totals.tax)
        // Either something is to be paid, or credit is left, never both.
        expect(Math.min(totals.amount, totals.balance)).toBe(0)
      }),
    )
  })

  it('round half a unit away from zero, so that a credit is worth its charge', () => {
    expect([partOf(50, 100), partOf(-50, 100), partOf(49, 100)]).toEqual([1, -1, 0])
    fc.assert(
      fc.property(amount, rate, (value, part) => {
        expect(partOf(-value, part) + partOf(value, part)).toBe(0)
      }),
    )
  })

  it('split the tax of an Indian state in two halves that add up, and name that of another IGST', () => {
    const party = (state: string, country = 'IN', taxNumber: string | null = null) => ({
      name: 'x',
      address: null,
      state,
      country,
      taxNumber,
    })
    const parts = (issuer: string, buyer: string) =>
      taxParts(101, { issuer: party(issuer), buyer: party(buyer) }).map(({ name, amount: of }) => [name, of])
    expect(parts('Karnataka', ' karnataka ')).toEqual([
      ['CGST', 51],
      ['SGST', 50],
    ])
    expect(parts('Karnataka', 'Kerala')).toEqual([['IGST', 101]])
    expect(parts('', '')).toEqual([['IGST', 101]])
    const byNumber = taxParts(100, {
      issuer: party('KA', 'IN', '29AAGCB7383J1Z4'),
      buyer: party('Karnataka', 'IN', '29ABCDE1234F1Z5'),
    })
    expect(byNumber.map(({ name }) => name)).toEqual(['CGST', 'SGST'])
    expect(taxParts(100, { issuer: party('', 'DE'), buyer: party('', 'FR') })).toMatchObject([
      { name: 'Tax' },
    ])
  })
})

describe('usage', () => {
  it('is priced to what the whole costs, and uses up what is included once', () => {
    const used = fc.record({
      kind: fc.string(),
      isLate: fc.boolean(),
      runs: fc.integer({ min: 1, max: 1_000 }),
      micros: fc.nat(1_000_000_000_000),
    })
    fc.assert(
      fc.property(
        fc.array(used, { maxLength: 20 }),
        fc.nat(1_000_000_000_000),
        fc.nat(100_000),
        (usage, includedMicros, overageAmount) => {
          const rated = rateUsage(usage, { includedMicros, overageAmount })
          const total = sum(usage.map(({ micros }) => micros))
          expect(sum(rated.map(({ micros }) => micros))).toBe(total)
          expect(sum(rated.map((one) => one.includedMicros))).toBe(Math.min(total, includedMicros))
          const over = Math.max(0, total - includedMicros)
          expect(sum(rated.map((one) => one.amount))).toBe(partOf(overageAmount, over, 1_000_000))
          for (const one of rated) expect(one.amount).toBeGreaterThanOrEqual(0)
        },
      ),
    )
  })
})

describe('amounts for people', () => {
  it('have the decimals of their currency and all of their digits', () => {
    expect(['USD', 'JPY', 'KWD'].map(decimalsOf)).toEqual([2, 0, 3])
    expect(formatAmount(1_234_567, 'USD')).toBe('$12,345.67')
    expect(formatAmount(-5, 'USD')).toBe('-$0.05')
    expect(formatAmount(1_234_567, 'JPY')).toBe('¥1,234,567')
    expect(formatAmount(1_234_567, 'KWD').replace(/\s/g, ' ')).toBe('KWD 1,234.567')
    expect(formatAmount(7, 'KWD').replace(/\s/g, ' ')).toBe('KWD 0.007')
    expect(formatAmount(699_900_00, 'INR')).toBe('₹6,99,900.00')
    expect(formatAmount(9_007_199_254_740_991, 'USD')).toBe('$90,071,992,547,409.91')
    expect(formatMicros(12_000_001)).toBe('$12.000001')
  })
})

describe('a period', () => {
  it.each([
    ['2026-01-31', 1, '2026-02-28'],
    ['2027-11-30', 3, '2028-02-29'],
    ['2026-12-01', 1, '2027-01-01'],
    ['2024-02-29', 12, '2025-02-28'],
  ])('that begins on %s ends %i months later on %s', (from, months, to) => {
    expect(addMonths(from, months)).toBe(to)
  })

  it('is never worth more than its price, and never less than nothing', () => {
    const base = {
      status: 'active' as const,
      discountPercent: null,
      discountAmount: null,
      currency: 'INR',
      planLabel: 'x',
    }
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 2_678_400_000 }), (price, at) => {
        const dates = { periodStartsAt: new Date(0), nextBillingAt: new Date(2_678_400_001) }
        const rest = restOf({ ...base, ...dates, priceAmount: price }, new Date(at))
        expect(rest?.amount).toBeGreaterThanOrEqual(0)
        expect(rest?.amount).toBeLessThanOrEqual(price)
      }),
    )
  })
})
