import { z } from 'zod'
import { page, pageQuery, queryInt, spanEnd, ulid } from '../../../platform/wire.ts'
import { invoiceStatuses } from '../../accounts/billing/invoices/entities.ts'
import { InvoiceItem } from '../../accounts/billing/invoices/schemas.ts'
import { planNames } from '../../accounts/billing/plans/entities.ts'
import { currencies } from '../../accounts/billing/plans/regions.ts'

export const InvoiceQuery = pageQuery.extend({
  limit: queryInt(1, 100).default(50),
  'filter.tenantId': ulid.optional(),
  'filter.status': z.enum(invoiceStatuses).optional(),
  'filter.plan': z.enum(planNames).optional(),
  /** Days in UTC, or instants. */
  'filter.startDate': spanEnd.optional(),
  'filter.endDate': spanEnd.optional(),
})
export type InvoiceQuery = z.output<typeof InvoiceQuery>

export const InvoicePage = page(InvoiceItem).extend({
  /** Over all that the filter finds; credit notes are taken off. */
  totals: z.object({
    /** Of the invoices in INR. */
    totalAmountInr: z.int(),
    countPaid: z.int(),
    countFailed: z.int(),
    totalsByCurrency: z.array(
      z.object({ currency: z.enum(currencies), totalAmount: z.int(), totalFormatted: z.string() }),
    ),
  }),
})
export type InvoicePage = z.output<typeof InvoicePage>
