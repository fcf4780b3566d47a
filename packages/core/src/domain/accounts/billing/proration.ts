import type { Transaction } from '../../../kernel/context.ts'
import { partOf } from './amounts.ts'
import type { SubscriptionRow } from './entities.ts'
import type { InvoiceRow } from './invoices/entities.ts'
import { issueInvoice } from './invoices/issue.ts'
import type { Item } from './invoices/totals.ts'
import { mailInvoice } from './mails/intents.ts'
import { discountOf } from './plans/coupons.ts'

/** What is left of a period that is paid for. */
export interface Rest {
  label: string
  /** Of the whole period after the discount. */
  price: number
  amount: number
  from: Date
  until: Date
}

/** What a change of plan bills, with the lines before tax. */
export interface ChangeInvoice {
  invoice: InvoiceRow
  items: readonly Item[]
}

type Period = Pick<
  SubscriptionRow,
  'status' | 'periodStartsAt' | 'nextBillingAt' | 'priceAmount' | 'planLabel'
>

/** The part of a price that belongs to the time from now to the end of the period; undefined where no period is under way. */
export function restOf(subscription: Period & Parameters<typeof discountOf>[0], now: Date): Rest | undefined {
  const { status, periodStartsAt, nextBillingAt, priceAmount, planLabel: label } = subscription
  if (status !== 'active' && status !== 'past_due') return undefined
  if (!periodStartsAt || !nextBillingAt || nextBillingAt <= now) return undefined
  const price = priceAmount - discountOf(subscription)
  const whole = nextBillingAt.getTime() - periodStartsAt.getTime()
  const rest = Math.min(whole, nextBillingAt.getTime() - now.getTime())
  const amount = whole > 0 ? partOf(price, rest, whole) : 0
  return { label, price, amount, from: now, until: nextBillingAt }
}

/**
 * Bills a change of plan: the rest of the old price is taken off, the rest of the new one is added. Where that is less than nothing it
 * becomes credit, by a credit note. The subscription is locked.
 * @returns undefined when there is nothing to bill
 */
export async function billChange(
  txn: Transaction,
  subscription: SubscriptionRow,
  { before, after }: { before: Rest; after: Rest | undefined },
): Promise<ChangeInvoice | undefined> {
  const items: Item[] = [
    line('proration_credit', `Unused rest of the plan ${before.label}`, -before.amount, before),
    ...(after
      ? [line('proration_charge', `Rest of the period of the plan ${after.label}`, after.amount, after)]
      : []),
  ].filter(({ amount }) => amount !== 0)
  if (items.length === 0) return undefined
  const invoice = await issueInvoice(txn, subscription, { type: 'plan_change', items })
  await mailInvoice(txn, invoice)
  return { invoice, items }
}

function line(kind: Item['kind'], description: string, amount: number, { from, until }: Rest): Item {
  return { kind, description, amount, periodStart: from, periodEnd: until }
}
