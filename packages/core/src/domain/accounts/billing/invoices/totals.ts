import { partOf } from '../amounts.ts'
import type { LineKind } from './entities.ts'

/** One line as it goes on an invoice, before tax. */
export interface Item {
  kind: LineKind
  description: string
  /** In the smallest unit; below 0 for what is taken off. */
  amount: number
  runs?: number
  usageMicros?: number
  includedMicros?: number
  periodStart?: Date
  periodEnd?: Date
}

export interface Terms {
  /** Hundredths of a per cent. */
  taxRate: number
  /** Hundredths of a per cent of the subtotal that the buyer withholds. */
  tdsRate: number
  /** What the tenant has in credit. */
  balance: number
}

export interface Totals {
  /** The tax of each line. */
  taxes: number[]
  subtotal: number
  tax: number
  /** Taken from the balance. */
  credit: number
  /** Part of the amount. */
  withheld: number
  /** What is to be paid; never below 0. */
  amount: number
  /** What the tenant has in credit afterwards. */
  balance: number
  /** Below 0 when the lines take off more than they add: no invoice then, but a credit note over it. */
  gross: number
}

/** What an invoice comes to: each line's tax is rounded, then summed; the balance is used before anything is to be paid. */
export function totalsOf(items: readonly Item[], { taxRate, tdsRate, balance }: Terms): Totals {
  const taxes = items.map(({ amount }) => partOf(amount, taxRate))
  const subtotal = sum(items.map(({ amount }) => amount))
  const tax = sum(taxes)
  const gross = subtotal + tax
  const credit = Math.min(balance, Math.max(gross, 0))
  const amount = Math.max(gross, 0) - credit
  const withheld = Math.min(amount, Math.max(0, partOf(subtotal, tdsRate)))
  return {
    taxes,
    subtotal,
    tax,
    credit,
    withheld,
    amount,
    balance: balance - credit + Math.max(-gross, 0),
    gross,
  }
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)
