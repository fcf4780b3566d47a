import type { Transaction } from '../../../../kernel/context.ts'
import type { SubscriptionRow } from '../entities.ts'
import { mailInvoice } from '../mails/intents.ts'
import { billPeriod, isDue } from '../periods/bill.ts'
import type { InvoiceRow } from './entities.ts'
import { issueInvoice } from './issue.ts'
import { openInvoices, payInvoice } from './open.ts'
import { planItems } from './plan-items.ts'

/**
 * Demands one cycle of a subscription: the first invoice of a tenant, or a later one. It is due in seven days, and not before a
 * trial is over. Where a period is due to be billed, this is its invoice. The subscription is locked.
 */
export async function createInvoice(txn: Transaction, subscription: SubscriptionRow): Promise<InvoiceRow> {
  if (isDue(subscription, txn.clock.date())) {
    const billed = await billPeriod(txn, subscription)
    if (billed) return billed
  }
  const invoice = await issueInvoice(txn, subscription, {
    type: 'subscription',
    items: planItems(subscription),
  })
  await mailInvoice(txn, invoice)
  return invoice
}

/** Marks what a tenant still owes as paid, all of it. @returns the invoices that were open */
export async function closeInvoices(
  txn: Transaction,
  tenantId: string,
  paymentEntityId: string | null = null,
): Promise<InvoiceRow[]> {
  const open = await openInvoices(txn, tenantId)
  for (const invoice of open) payInvoice(txn, invoice, paymentEntityId)
  return open
}
