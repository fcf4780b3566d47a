import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { Invoice, type InvoiceRow, type SubscriptionRow } from './billing-entities.ts'
import { discountOf } from './coupons.ts'
import { nextNumber } from './queries.ts'

const dueMs = 7 * 86_400_000

/**
 * Demands one cycle of a subscription: the first invoice of a tenant, or a later one. It is due in seven days, and not
 * before a trial is over.
 */
export async function createInvoice(txn: Transaction, subscription: SubscriptionRow): Promise<InvoiceRow> {
  const { tenantId, plan, currency, priceAmount, trialEndsAt } = subscription
  const now = txn.clock.date()
  const discount = discountOf(subscription)
  const year = now.getUTCFullYear()
  const number = await nextNumber(txn, `invoice:${year}`)
  return txn.em.create(Invoice, {
    id: txn.newId(),
    number: `INV-${year}-${String(number).padStart(6, '0')}`,
    tenantId,
    subscriptionId: subscription.id,
    type: 'subscription',
    plan,
    status: 'pending',
    amount: priceAmount - discount,
    discount,
    currency,
    paymentEntityId: null,
    issuedOn: now,
    dueDate: new Date(Math.max(now.getTime() + dueMs, trialEndsAt?.getTime() ?? 0)),
    paidOn: null,
    updatedOn: now,
  })
}

/** Marks what a tenant still owes as paid, all of it. @returns the invoices that were open */
export async function closeInvoices(
  txn: Transaction,
  tenantId: string,
  paymentEntityId: string | null = null,
): Promise<InvoiceRow[]> {
  const open = await txn.em.find(
    Invoice,
    { tenantId, status: { $in: ['pending', 'failed'] } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  for (const invoice of open) {
    invoice.status = 'paid'
    invoice.paidOn = txn.clock.date()
    invoice.paymentEntityId = paymentEntityId ?? invoice.paymentEntityId
    invoice.updatedOn = txn.clock.date()
  }
  return open
}
