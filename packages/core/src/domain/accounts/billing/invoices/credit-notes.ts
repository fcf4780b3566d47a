import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { partOf } from '../amounts.ts'
import { Subscription } from '../entities.ts'
import { restoreStanding } from '../standing.ts'
import { Invoice, InvoiceLine, type InvoiceRow } from './entities.ts'
import { addLine, numberOf } from './issue.ts'
import { openInvoices, payInvoice } from './open.ts'

export interface CreditOrder {
  /** In the smallest unit, with tax; default: all that is left of the invoice. */
  amount?: number
  reason: string
}

export interface CreditReceipt {
  id: string
  number: string
  amount: number
  currency: string
  /** What the tenant has in credit for its next invoices. */
  balance: number
}

/**
 * Takes an invoice back, in whole or in part, by a credit note. What was not paid yet is no longer asked for; what was paid becomes
 * credit for the next invoices.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `amount`; `UNPROCESSABLE` for a credit note, or when nothing is left
 */
export function creditInvoice(
  ctx: Ctx,
  invoiceId: string,
  { amount, reason }: CreditOrder,
): Promise<CreditReceipt> {
  return transact(ctx, async (txn) => {
    const { invoice, subscription } = await lockInvoice(txn, invoiceId)
    if (invoice.type === 'credit_note')
      throw new DomainError('UNPROCESSABLE', 'A credit note is not credited again')
    const gross = invoice.subtotal + invoice.tax
    const left = gross - invoice.refunded
    if (left <= 0) throw new DomainError('UNPROCESSABLE', 'The invoice is credited already')
    const size = amount ?? left
    if (!Number.isSafeInteger(size) || size < 1 || size > left)
      throw invalid('amount', `Must be a whole number of the smallest currency unit, from 1 to ${left}`)
    const note = await writeNote(txn, invoice, { size, gross, reason })
    const open = invoice.status === 'pending' || invoice.status === 'failed'
    const owed = open ? invoice.amount - Math.min(invoice.refunded, invoice.amount) : 0
    invoice.refunded += size
    invoice.updatedOn = txn.clock.date()
    if (subscription) subscription.creditAmount += size - Math.min(size, owed)
    if (invoice.refunded >= gross) invoice.status = 'refunded'
    else if (open && size >= owed) payInvoice(txn, invoice, null)
    txn.audit({
      tenantId: invoice.tenantId,
      resourceType: 'invoice',
      resourceId: invoice.id,
      after: { creditNote: note.number, amount: size, reason },
      action: 'invoice.credited',
    })
    await txn.em.flush()
    if (subscription && (await openInvoices(txn, invoice.tenantId)).length === 0)
      await restoreStanding(txn, subscription)
    const { id, number, currency } = note
    return { id, number, amount: size, currency, balance: subscription?.creditAmount ?? 0 }
  })
}

/**
 * Marks one invoice as paid by hand; where nothing else is owed the tenant works again.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not open
 */
export function markInvoicePaid(
  ctx: Ctx,
  invoiceId: string,
  paymentEntityId: string | null = null,
): Promise<{ id: string; number: string; status: 'paid' }> {
  return transact(ctx, async (txn) => {
    const { invoice, subscription } = await lockInvoice(txn, invoiceId)
    const { id, number, status, tenantId } = invoice
    if (status !== 'pending' && status !== 'failed')
      throw new DomainError('CONFLICT', `The invoice is ${status}`, { details: { status } })
    payInvoice(txn, invoice, paymentEntityId)
    await txn.em.flush()
    if (subscription && subscription.status === 'past_due' && subscription.nextBillingAt !== null)
      if ((await openInvoices(txn, tenantId)).length === 0) await restoreStanding(txn, subscription)
    txn.audit({
      tenantId,
      resourceType: 'invoice',
      resourceId: id,
      before: { status },
      after: { status: 'paid', paymentEntityId },
      action: 'invoice.paid',
    })
    return { id, number, status: 'paid' as const }
  })
}

/** The subscription is locked before its invoice, as everywhere. */
async function lockInvoice(txn: Transaction, id: string) {
  const found = await txn.em.findOne(Invoice, { id }, { fields: ['id', 'tenantId', 'subscriptionId'] })
  if (!found) throw notFound('invoice')
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const subscription = found.subscriptionId
    ? await txn.em.findOne(Subscription, { id: found.subscriptionId }, lock)
    : null
  const invoice = await txn.em.findOneOrFail(Invoice, { id }, lock)
  return { invoice, subscription }
}

async function writeNote(
  txn: Transaction,
  invoice: InvoiceRow,
  { size, gross, reason }: { size: number; gross: number; reason: string },
): Promise<InvoiceRow> {
  const now = txn.clock.date()
  const { tenantId, subscriptionId, plan, currency, issuer, buyer } = invoice
  // Rounded on the running total, so that all notes of an invoice take back its tax and no more.
  const taxUpTo = (amount: number) => partOf(amount, invoice.tax, gross)
  const tax = taxUpTo(invoice.refunded + size) - taxUpTo(invoice.refunded)
  const [line] = await txn.em.find(
    InvoiceLine,
    { invoiceId: invoice.id },
    { orderBy: { position: 'asc' }, limit: 1 },
  )
  const note = txn.em.create(Invoice, {
    id: txn.newId(),
    number: await numberOf(txn, 'CN', now),
    tenantId,
    subscriptionId,
    type: 'credit_note',
    creditsInvoiceId: invoice.id,
    plan,
    status: 'refunded',
    amount: size,
    subtotal: size - tax,
    tax,
    discount: 0,
    currency,
    paymentEntityId: null,
    periodStart: null,
    periodEnd: null,
    issuer,
    buyer,
    issuedOn: now,
    dueDate: now,
    paidOn: null,
    updatedOn: now,
  })
  const description = `Credit for the invoice ${invoice.number}: ${reason}`.slice(0, 255)
  const item = { kind: line?.kind ?? ('plan' as const), description, amount: size - tax }
  addLine(txn, note, item, 1, { taxRate: line?.taxRate ?? 0, tax })
  return note
}
