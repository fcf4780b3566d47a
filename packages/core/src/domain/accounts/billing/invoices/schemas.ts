import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../../../platform/wire.ts'
import { currencies } from '../plans/regions.ts'
import { invoiceStatuses, invoiceTypes, lineKinds } from './entities.ts'

const Party = z.object({
  name: z.string(),
  address: z.string().nullable(),
  state: z.string().nullable(),
  country: z.string().nullable(),
  taxNumber: z.string().nullable(),
})

/** Amounts in the smallest unit of the currency; those of a credit note are below 0, so that they add up with the others. */
const amounts = {
  currency: z.enum(currencies),
  subtotal: z.int(),
  discount: z.int(),
  tax: z.int(),
  /** Paid out of what earlier invoices left over. */
  credit: z.int(),
  /** The part of the amount that the tenant pays to its tax office. */
  withheld: z.int(),
  /** What credit notes have taken back. */
  refunded: z.int(),
}

const base = {
  id: ulid,
  number: z.string(),
  plan: z.string(),
  paymentEntityId: z.string().nullable(),
  status: z.enum(invoiceStatuses),
  ...amounts,
  periodStart: isoDate.nullable(),
  periodEnd: isoDate.nullable(),
  dueDate: isoDate,
  paidOn: isoDate.nullable(),
  createdOn: isoDate,
}

/** As `GET /tenant/v1/billing/invoices` lists it. */
export const TenantInvoice = z.object({
  ...base,
  type: z.enum(invoiceTypes),
  /** What is to be paid. */
  amount: z.int(),
  amountFormatted: z.string(),
})
export type TenantInvoice = z.output<typeof TenantInvoice>
export const TenantInvoicePage = page(TenantInvoice)

/** As `GET /admin/v1/invoices` lists it. */
export const InvoiceItem = z.object({
  ...base,
  tenantId: ulid,
  tenantName: z.string(),
  eventType: z.enum(invoiceTypes),
  /** In the smallest unit of `currency`, whatever currency that is. */
  amountInr: z.int(),
  amountInrFormatted: z.string(),
})
export type InvoiceItem = z.output<typeof InvoiceItem>

const Line = z.object({
  position: z.int(),
  kind: z.enum(lineKinds),
  description: z.string(),
  amount: z.int(),
  amountFormatted: z.string(),
  /** Per cent. */
  taxRate: z.number(),
  tax: z.int(),
  runs: z.int().nullable(),
  usageMicros: z.int().nullable(),
  includedMicros: z.int().nullable(),
  periodStart: isoDate.nullable(),
  periodEnd: isoDate.nullable(),
})

const detail = {
  /** The invoice that a credit note takes back. */
  creditsInvoiceId: ulid.nullable(),
  issuer: Party.nullable(),
  buyer: Party.nullable(),
  lines: z.array(Line),
}
export const InvoiceDetail = InvoiceItem.extend(detail)
export type InvoiceDetail = z.output<typeof InvoiceDetail>
export const TenantInvoiceDetail = TenantInvoice.extend(detail)
export type TenantInvoiceDetail = z.output<typeof TenantInvoiceDetail>

export const InvoicePayment = z.object({
  /** Of the payment, such as that of a bank transfer. */
  reference: z.string().trim().min(1).max(200).optional(),
})
export const PaidInvoice = z.object({ id: ulid, number: z.string(), status: z.literal('paid') })

export const InvoiceFormat = z.object({
  /** `pdf` gives the file. */
  format: z.enum(['json', 'pdf']).default('json'),
})

export const TenantInvoiceQuery = pageQuery.extend({
  limit: queryInt(1, 100).default(50),
  'filter.status': z.enum(invoiceStatuses).optional(),
})
export type TenantInvoiceQuery = z.output<typeof TenantInvoiceQuery>
