import { getInvoice } from '../../domain/accounts/billing/invoices/queries.ts'
import { InvoiceDetail, InvoiceFormat } from '../../domain/accounts/billing/invoices/schemas.ts'
import { listInvoices } from '../../domain/insight/invoices/list-queries.ts'
import { InvoicePage, InvoiceQuery } from '../../domain/insight/invoices/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.invoices.list',
  route: 'GET /invoices',
  summary: 'Invoices of all tenants, newest first, with their sums',
  access: operators,
  query: InvoiceQuery,
  reply: { 200: InvoicePage },
}).handle((ctx, { query }) => listInvoices(ctx, query))

export const get = endpoint({
  id: 'admin.invoices.get',
  route: 'GET /invoices/:invoiceId',
  summary: 'One invoice with its lines, or its PDF',
  access: operators,
  query: InvoiceFormat,
  reply: { 200: InvoiceDetail },
  file: 'application/pdf',
}).handle((ctx, { params, query }) => getInvoice(ctx, params.invoiceId, query))
