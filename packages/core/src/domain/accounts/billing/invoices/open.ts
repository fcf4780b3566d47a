import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { Invoice, type InvoiceRow } from './entities.ts'

/** What a tenant still owes, oldest first, locked until the commit. */
export function openInvoices(txn: Transaction, tenantId: string): Promise<InvoiceRow[]> {
  return txn.em.find(
    Invoice,
    { tenantId, status: { $in: ['pending', 'failed'] } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
}

/** Marks one invoice as paid. It is locked. */
export function payInvoice(txn: Transaction, invoice: InvoiceRow, paymentEntityId: string | null): void {
  invoice.status = 'paid'
  invoice.paidOn = txn.clock.date()
  invoice.paymentEntityId = paymentEntityId ?? invoice.paymentEntityId
  invoice.updatedOn = txn.clock.date()
}
