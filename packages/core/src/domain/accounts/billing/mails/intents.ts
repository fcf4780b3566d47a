import type { Transaction } from '../../../../kernel/context.ts'
import { User } from '../../identity/entities.ts'
import type { InvoiceRow } from '../invoices/entities.ts'
import { BillingMail, type BillingMailKind } from './entities.ts'
import { mailBillingJob } from './jobs.ts'

/** Mails an invoice with its PDF to the admins of its tenant, each once. What costs nothing, and takes nothing off, is not mailed. */
export async function mailInvoice(txn: Transaction, invoice: InvoiceRow): Promise<void> {
  const { subtotal, tax } = invoice
  if (subtotal + tax > 0) await intendMails(txn, invoice, 'invoice', 0)
}

/** Queues one mail for each active admin of a tenant, with the change that it is about. */
export async function intendMails(
  txn: Transaction,
  { id: invoiceId, tenantId }: Pick<InvoiceRow, 'id' | 'tenantId'>,
  kind: BillingMailKind,
  day: number,
): Promise<void> {
  const admins = await txn.em.find(
    User,
    { tenantId, role: 'admin', status: 'active' },
    { fields: ['id'], orderBy: { id: 'asc' }, limit: mostAdmins },
  )
  const now = txn.clock.date()
  for (const { id: userId } of admins) {
    const id = txn.newId()
    txn.insert(BillingMail, {
      id,
      tenantId,
      userId,
      invoiceId,
      kind,
      day,
      status: 'pending',
      error: null,
      createdOn: now,
      updatedOn: now,
    })
    txn.enqueue(mailBillingJob, { tenantId, payload: { mailId: id } })
  }
}

/** A tenant with more admins than that does not get more mails. */
const mostAdmins = 50
