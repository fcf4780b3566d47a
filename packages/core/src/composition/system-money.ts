import type { z } from 'zod'
import { listBillingEvents } from '../domain/accounts/billing/events/queries.ts'
import { replayPaymentEvent } from '../domain/accounts/billing/events/replay.ts'
import { BillingEventQuery } from '../domain/accounts/billing/events/schemas.ts'
import { creditInvoice, markInvoicePaid } from '../domain/accounts/billing/invoices/credit-notes.ts'
import { invoicePdf } from '../domain/accounts/billing/invoices/pdf.ts'
import { invoiceDetail } from '../domain/accounts/billing/invoices/queries.ts'
import { createCoupon, disableCoupon, listCoupons } from '../domain/accounts/billing/plans/coupons.ts'
import { listPrices, setPrice } from '../domain/accounts/billing/plans/plans.ts'
import { setPlan } from '../domain/accounts/billing/set-plan.ts'
import { listInvoices } from '../domain/insight/invoices/list-queries.ts'
import { InvoiceQuery } from '../domain/insight/invoices/schemas.ts'
import { check } from '../kernel/check.ts'
import type { Ctx } from '../kernel/context.ts'

/** Of the operators' services those about plans, payments and invoices. */
export const moneyServices = {
  billing: {
    events: (ctx: Ctx, query: z.input<typeof BillingEventQuery> = {}) =>
      listBillingEvents(ctx, check(BillingEventQuery, query)),
    replay: replayPaymentEvent,
    setPlan,
  },
  coupons: {
    create: createCoupon,
    list: listCoupons,
    disable: disableCoupon,
  },
  invoices: {
    list: (ctx: Ctx, query: z.input<typeof InvoiceQuery> = {}) =>
      listInvoices(ctx, check(InvoiceQuery, query)),
    get: invoiceDetail,
    pdf: invoicePdf,
    markPaid: markInvoicePaid,
    credit: creditInvoice,
  },
  plans: {
    list: listPrices,
    setPrice,
  },
}
