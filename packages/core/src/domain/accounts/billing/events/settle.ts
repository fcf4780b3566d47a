import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import type { SubscriptionRow } from '../entities.ts'
import { Invoice, type InvoiceRow } from '../invoices/entities.ts'
import { createInvoice } from '../invoices/invoices.ts'
import { Payment, PaymentEvent, type PaymentEventRow, type PaymentRow } from './entities.ts'

const lockMode = LockMode.PESSIMISTIC_WRITE

/** The most payments, and invoices, of one subscription that are matched; more than a century of months. */
const mostMatched = 1_500

/** Keeps what an event says of a payment. Several say the same one, in any order: the earliest instant and the largest refund count. */
export async function recordPayment(
  txn: Transaction,
  { id: subscriptionId, tenantId }: SubscriptionRow,
  { provider, payment, occurredOn }: PaymentEventRow,
): Promise<void> {
  if (!payment) return
  const now = txn.clock.date()
  const { id: providerPaymentId, amount, currency, refunded } = payment
  const found = await txn.em.findOne(Payment, { provider, providerPaymentId }, { lockMode })
  if (found) {
    if (found.subscriptionId !== subscriptionId) return
    if (occurredOn < found.paidOn) found.paidOn = occurredOn
    found.refunded = Math.max(found.refunded, refunded)
    found.updatedOn = now
    return
  }
  txn.em.create(Payment, {
    id: txn.newId(),
    tenantId,
    subscriptionId,
    provider,
    providerPaymentId,
    amount,
    refunded,
    currency,
    paidOn: occurredOn,
    invoiceId: null,
    createdOn: now,
    updatedOn: now,
  })
}

/**
 * Matches the payments of a subscription with its invoices, both in their order, so that the same payments and invoices end alike whichever came
 * first. What a person has marked as paid, or credited before it was paid, is left alone.
 */
export async function settleInvoices(txn: Transaction, subscription: SubscriptionRow): Promise<void> {
  await txn.em.flush()
  const { id: subscriptionId, provider, providerSubscriptionId } = subscription
  const payments = await txn.em.find(
    Payment,
    { subscriptionId },
    { orderBy: { paidOn: 'asc', providerPaymentId: 'asc' }, limit: mostMatched },
  )
  const invoices = await invoicesOf(txn, subscriptionId)
  // A provider charges also what no one here has drawn up yet; a first invoice there must be.
  if (payments.length > 0 && invoices.length === 0) invoices.push(await createInvoice(txn, subscription))
  const known = new Set(payments.map(({ providerPaymentId }) => providerPaymentId))
  const open = invoices.filter((invoice) => isForProvider(invoice, known))
  const newestFailure = await txn.em.findOne(
    PaymentEvent,
    { provider: provider ?? '', providerSubscriptionId, type: 'payment.failed' },
    { orderBy: { occurredOn: 'desc' }, fields: ['occurredOn'] },
  )
  const lastPaid = payments.at(-1)?.paidOn
  const failed = newestFailure && (!lastPaid || newestFailure.occurredOn > lastPaid)
  for (const [i, invoice] of open.entries()) settle(txn, invoice, payments[i], failed ? 'failed' : 'pending')
  for (const [i, payment] of payments.entries()) payment.invoiceId = open[i]?.id ?? null
}

function invoicesOf(txn: Transaction, subscriptionId: string): Promise<InvoiceRow[]> {
  return txn.em.find(
    Invoice,
    { subscriptionId, type: { $ne: 'credit_note' }, amount: { $gt: 0 } },
    { orderBy: { id: 'asc' }, lockMode, limit: mostMatched },
  )
}

/** Whether the provider says what becomes of an invoice; a person may have noted a reference of another kind on it. */
function isForProvider({ status, paymentEntityId }: InvoiceRow, known: ReadonlySet<string>): boolean {
  if (paymentEntityId !== null && known.has(paymentEntityId)) return true
  return status === 'pending' || status === 'failed'
}

function settle(
  txn: Transaction,
  invoice: InvoiceRow,
  payment: PaymentRow | undefined,
  unpaid: 'failed' | 'pending',
): void {
  const status = isTakenBack(invoice, payment) ? 'refunded' : payment ? 'paid' : unpaid
  const paymentEntityId = payment?.providerPaymentId ?? null
  const paidOn = payment?.paidOn ?? null
  const isSettled =
    invoice.status === status &&
    invoice.paymentEntityId === paymentEntityId &&
    invoice.paidOn?.getTime() === paidOn?.getTime()
  if (!isSettled) Object.assign(invoice, { status, paymentEntityId, paidOn, updatedOn: txn.clock.date() })
}

/** By credit notes, or by the provider. */
function isTakenBack({ refunded, subtotal, tax }: InvoiceRow, payment: PaymentRow | undefined): boolean {
  if (refunded > 0 && refunded >= subtotal + tax) return true
  return payment !== undefined && payment.refunded >= payment.amount
}
