import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  amountColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import { BillingMail } from '../mails/entities.ts'
import type { Currency } from '../plans/regions.ts'

export const invoiceStatuses = ['pending', 'paid', 'failed', 'refunded'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** A credit note takes an invoice back, in whole or in part; its amounts are positive too. */
export const invoiceTypes = ['subscription', 'plan_change', 'credit_note'] as const
export type InvoiceType = (typeof invoiceTypes)[number]

/** Who wrote an invoice, or who gets it, as it was then. */
export interface InvoiceParty {
  name: string
  address: string | null
  state: string | null
  country: string | null
  /** Number for tax invoices. */
  taxNumber: string | null
}

/** A demand for payment. Its number is one of an unbroken sequence. Its amounts never change; a credit note takes them back. */
export const Invoice = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: idColumn(),
    number: p.string(),
    tenantId: refColumn(),
    subscriptionId: refColumn().strictNullable(),
    type: p.string().$type<InvoiceType>(),
    /** The invoice that a credit note takes back. */
    creditsInvoiceId: refColumn().strictNullable(),
    plan: p.string(),
    status: p.string().$type<InvoiceStatus>(),
    /** What is to be paid: subtotal and tax without the credit. */
    amount: amountColumn(),
    /** The lines before tax, after the discount, which stands beside it. */
    subtotal: amountColumn().default(0),
    discount: amountColumn(),
    tax: amountColumn().default(0),
    /** Paid out of what earlier invoices left over. */
    credit: amountColumn().default(0),
    /** The part of the amount that the tenant withholds and pays to its tax office. */
    withheld: amountColumn().default(0),
    /** Of credit notes, how much of this invoice they have taken back. */
    refunded: amountColumn().default(0),
    currency: p.string().length(3).$type<Currency>(),
    /** What the payment provider calls the payment. */
    paymentEntityId: p.string().strictNullable(),
    /** The period that is billed; null for a demand of none. */
    periodStart: instantColumn().strictNullable(),
    periodEnd: instantColumn().strictNullable(),
    issuer: p.json().$type<InvoiceParty>().strictNullable(),
    buyer: p.json().$type<InvoiceParty>().strictNullable(),
    issuedOn: instantColumn(),
    dueDate: instantColumn(),
    paidOn: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'invoices_number', properties: ['number'] },
    {
      name: 'invoices_period',
      properties: ['subscriptionId', 'periodStart'],
      where: "type = 'subscription' and period_start is not null",
    },
  ],
  indexes: [
    { name: 'invoices_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'invoices_open', properties: ['dueDate'], where: "status in ('pending', 'failed')" },
  ],
  filters: ownedByTenant,
})
export type InvoiceRow = InferEntity<typeof Invoice>

export const lineKinds = [
  'plan',
  'proration_charge',
  'proration_credit',
  'usage',
  'late_usage',
  'discount',
] as const
export type LineKind = (typeof lineKinds)[number]

/** One of the things that an invoice asks for. */
export const InvoiceLine = defineEntity({
  name: 'InvoiceLine',
  tableName: 'invoice_lines',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    invoiceId: refColumn(),
    /** From 1. */
    position: p.integer(),
    kind: p.string().$type<LineKind>(),
    description: p.string(),
    /** Before tax; below 0 for what is taken off. */
    amount: amountColumn(),
    /** Hundredths of a per cent. */
    taxRate: p.integer(),
    tax: amountColumn(),
    /** Of usage: the runs, what they cost, and the part that the plan includes. */
    runs: p.integer().strictNullable(),
    usageMicros: microsColumn().strictNullable(),
    includedMicros: microsColumn().strictNullable(),
    periodStart: instantColumn().strictNullable(),
    periodEnd: instantColumn().strictNullable(),
  },
  uniques: [{ name: 'invoice_lines_position', properties: ['invoiceId', 'position'] }],
  filters: ownedByTenant,
})

/** A run whose cost an invoice has counted: each counts once. */
export const MeteredRun = defineEntity({
  name: 'MeteredRun',
  tableName: 'metered_runs',
  properties: {
    runId: refColumn().primary(),
    tenantId: refColumn(),
    /** Where a period came to nothing there is no invoice of this id. */
    invoiceId: refColumn(),
    /** What kind of work it was, such as an agent role. */
    kind: p.string(),
    micros: microsColumn(),
    completedOn: instantColumn(),
    /** It ended in an earlier period, whose invoice was drawn up without it. */
    isLate: p.boolean(),
  },
  indexes: [{ name: 'metered_runs_by_invoice', properties: ['invoiceId', 'kind'] }],
  filters: ownedByTenant,
})

/** The last number given out, by the name of its sequence. */
export const NumberSequence = defineEntity({
  name: 'NumberSequence',
  tableName: 'number_sequences',
  properties: { name: p.string().primary(), last: p.integer() },
})

export const invoiceEntities = [BillingMail, Invoice, InvoiceLine, MeteredRun, NumberSequence]
