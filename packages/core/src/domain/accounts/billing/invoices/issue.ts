import type { Transaction } from '../../../../kernel/context.ts'
import type { SubscriptionRow } from '../entities.ts'
import { taxRateFor } from '../invoicing.ts'
import { Invoice, InvoiceLine, type InvoiceRow, type InvoiceType } from './entities.ts'
import { nextNumber } from './number-queries.ts'
import { buyerOf } from './parties.ts'
import { type Item, type Totals, totalsOf } from './totals.ts'

const dueMs = 7 * 86_400_000

export interface NewInvoice {
  /** Default: a new one. */
  id?: string
  type: Exclude<InvoiceType, 'credit_note'>
  items: readonly Item[]
  period?: { start: Date; end: Date }
}

/**
 * Issues an invoice over some lines: the credit of the subscription is used first, and what comes to nothing is paid at once.
 * Lines that take off more than they add become a credit note, whose sum the next invoices use up. The subscription is locked.
 */
export async function issueInvoice(
  txn: Transaction,
  subscription: SubscriptionRow,
  { id = txn.newId(), type, items, period }: NewInvoice,
): Promise<InvoiceRow> {
  const { invoicing } = txn.services.settings
  const { withholds, ...buyer } = await buyerOf(txn, subscription.tenantId)
  const taxRate = taxRateFor(invoicing, buyer)
  const tdsRate = withholds && invoicing.issuer ? invoicing.tdsRate : 0
  const totals = totalsOf(items, { taxRate, tdsRate, balance: subscription.creditAmount })
  subscription.creditAmount = totals.balance
  const back = totals.gross < 0
  const now = txn.clock.date()
  const invoice = txn.em.create(Invoice, {
    id,
    number: await numberOf(txn, back ? 'CN' : 'INV', now),
    tenantId: subscription.tenantId,
    subscriptionId: subscription.id,
    type: back ? 'credit_note' : type,
    creditsInvoiceId: null,
    plan: subscription.plan,
    ...amountsOf(totals, items),
    status: back ? 'refunded' : totals.amount === 0 ? 'paid' : 'pending',
    currency: subscription.currency,
    paymentEntityId: null,
    periodStart: period?.start ?? null,
    periodEnd: period?.end ?? null,
    issuer: invoicing.issuer,
    buyer,
    issuedOn: now,
    dueDate: new Date(Math.max(now.getTime() + dueMs, subscription.trialEndsAt?.getTime() ?? 0)),
    paidOn: !back && totals.amount === 0 ? now : null,
    updatedOn: now,
  })
  const sign = back ? -1 : 1
  for (const [at, item] of items.entries())
    addLine(txn, invoice, { ...item, amount: sign * item.amount }, at + 1, {
      taxRate,
      tax: sign * (totals.taxes[at] ?? 0),
    })
  txn.audit({
    tenantId: invoice.tenantId,
    resourceType: 'invoice',
    resourceId: id,
    after: {
      number: invoice.number,
      type: invoice.type,
      amount: invoice.amount,
      currency: invoice.currency,
      credit: invoice.credit,
    },
    action: back ? 'invoice.credited' : 'invoice.issued',
  })
  return invoice
}

/**
 * The next number of the invoices (`INV`) or credit notes (`CN`) of a year (UTC). What is rolled back is given out again, so that
 * neither has a gap.
 */
export async function numberOf(txn: Transaction, prefix: 'INV' | 'CN', now: Date): Promise<string> {
  const year = now.getUTCFullYear()
  const number = await nextNumber(txn, `${prefix === 'INV' ? 'invoice' : 'credit_note'}:${year}`)
  return `${prefix}-${year}-${String(number).padStart(6, '0')}`
}

export function addLine(
  txn: Transaction,
  { id: invoiceId, tenantId }: Pick<InvoiceRow, 'id' | 'tenantId'>,
  item: Item,
  position: number,
  { taxRate, tax }: { taxRate: number; tax: number },
): void {
  const { kind, description, amount, periodStart = null, periodEnd = null } = item
  const { runs = null, usageMicros = null, includedMicros = null } = item
  txn.insert(InvoiceLine, {
    id: txn.newId(),
    tenantId,
    invoiceId,
    position,
    kind,
    description,
    amount,
    taxRate,
    tax,
    runs,
    usageMicros,
    includedMicros,
    periodStart,
    periodEnd,
  })
}

/** The amounts of a document; those of a credit note are positive too. */
function amountsOf({ gross, amount, subtotal, tax, credit, withheld }: Totals, items: readonly Item[]) {
  const off = items.filter(({ kind }) => kind === 'discount').reduce((sum, item) => sum - item.amount, 0)
  return gross < 0
    ? { amount: -gross, subtotal: -subtotal, tax: -tax, discount: 0, credit: 0, withheld: 0 }
    : { amount, subtotal, tax, discount: off, credit, withheld }
}
