import { markInvoicePaid } from '../../domain/accounts/billing/invoices/credit-notes.ts'
import { InvoicePayment, PaidInvoice } from '../../domain/accounts/billing/invoices/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as admin from '../admin/invoices.ts'
import { operators } from './access.ts'

export const list = delegate(admin.list, {
  id: 'cli.invoices.list',
  route: 'GET /invoices',
  access: operators,
})

export const get = delegate(admin.get, {
  id: 'cli.invoices.get',
  route: 'GET /invoices/:invoiceId',
  access: operators,
})

export const markPaid = endpoint({
  id: 'cli.invoices.mark_paid',
  route: 'POST /invoices/:invoiceId/mark-paid',
  summary: 'Mark an open invoice as paid by hand; with nothing else open the tenant works again',
  access: operators,
  body: InvoicePayment,
  reply: { 200: PaidInvoice },
  errors: ['CONFLICT'],
  audit: 'invoice.paid',
}).handle((ctx, { params, body }) => markInvoicePaid(ctx, params.invoiceId, body.reference ?? null))
