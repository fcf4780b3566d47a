import type { Ctx } from '../../../../kernel/context.ts'
import type { FileContent } from '../../../../kernel/file-content.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { formatAmount } from '../amounts.ts'
import { invoicePdf } from './pdf.ts'
import {
  fromInvoices,
  type InvoiceWithLines,
  i,
  type ListedInvoice,
  listedInvoice,
  readInvoice,
} from './read-queries.ts'
import type {
  InvoiceDetail,
  InvoiceItem,
  TenantInvoice,
  TenantInvoiceDetail,
  TenantInvoiceQuery,
} from './schemas.ts'

/** The invoices of the tenants in scope, newest first. Serves `GET /tenant/v1/billing/invoices`. */
export function listTenantInvoices(ctx: Ctx, query: TenantInvoiceQuery): Promise<Page<TenantInvoice>> {
  return readPage(
    ctx,
    {
      select: listedInvoice,
      from: fromInvoices,
      id: i.id,
      rows: within(ctx.scope, `${i.tenantId}`),
      filters: [equals(i.status, query['filter.status'])],
      request: query,
    },
    (row) => tenantForm(row),
  )
}

/** Serves `GET /admin/v1/invoices/:invoiceId`. @throws DomainError `NOT_FOUND` */
export function getInvoice(
  ctx: Ctx,
  invoiceId: string,
  { format }: { format: 'json' | 'pdf' },
): Promise<InvoiceDetail | FileContent> {
  return format === 'pdf' ? invoicePdf(ctx, invoiceId) : invoiceDetail(ctx, invoiceId)
}

/** One invoice as operators see it. @throws DomainError `NOT_FOUND` */
export async function invoiceDetail(ctx: Ctx, invoiceId: string): Promise<InvoiceDetail> {
  const { row, lines } = await readInvoice(ctx, invoiceId)
  return { ...adminForm(row), ...detailOf(row, lines) }
}

/** Serves `GET /tenant/v1/billing/invoices/:invoiceId`. @throws DomainError `NOT_FOUND` */
export async function getTenantInvoice(
  ctx: Ctx,
  invoiceId: string,
  { format }: { format: 'json' | 'pdf' },
): Promise<TenantInvoiceDetail | FileContent> {
  if (format === 'pdf') return invoicePdf(ctx, invoiceId)
  const { row, lines } = await readInvoice(ctx, invoiceId)
  return { ...tenantForm(row), ...detailOf(row, lines) }
}

/** As operators see it; a credit note takes off. */
export function adminForm(row: ListedInvoice): InvoiceItem {
  const { tenantId, tenantName } = row
  const { amount, amountFormatted, type, ...rest } = tenantForm(row)
  return {
    ...rest,
    tenantId,
    tenantName,
    eventType: type,
    amountInr: amount,
    amountInrFormatted: amountFormatted,
  }
}

function tenantForm(row: ListedInvoice): TenantInvoice {
  const { id, number, type, plan, status, paymentEntityId, currency, discount, credit, withheld } = row
  const sign = signOf(type)
  const amount = sign * row.amount
  return {
    id,
    number,
    type,
    plan,
    status,
    paymentEntityId,
    currency,
    amount,
    amountFormatted: formatAmount(amount, currency),
    subtotal: sign * row.subtotal,
    discount,
    tax: sign * row.tax,
    credit,
    withheld,
    refunded: row.refunded,
    periodStart: row.periodStart,
    periodEnd: row.periodEnd,
    dueDate: row.dueDate,
    paidOn: row.paidOn,
    createdOn: row.issuedOn,
  }
}

function detailOf(row: InvoiceWithLines['row'], lines: InvoiceWithLines['lines']) {
  const { creditsInvoiceId, issuer, buyer, currency } = row
  const sign = signOf(row.type)
  return {
    creditsInvoiceId,
    issuer,
    buyer,
    lines: lines.map(({ amount, tax, taxRate, ...rest }) => ({
      ...rest,
      amount: sign * amount,
      amountFormatted: formatAmount(sign * amount, currency),
      taxRate: taxRate / 100,
      tax: sign * tax,
    })),
  }
}

/** A credit note takes off. */
const signOf = (type: ListedInvoice['type']) => (type === 'credit_note' ? -1 : 1)
