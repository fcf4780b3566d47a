import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const billingMailKinds = ['invoice', 'reminder', 'overdue'] as const
export type BillingMailKind = (typeof billingMailKinds)[number]

/**
 * `pending` is not sent yet; `sending` is in the hands of a mail server; `sent` was taken by it; `refused` was not and will
 * not be; `unknown` may have been taken, and is not sent again.
 */
export type BillingMailStatus = 'pending' | 'sending' | 'sent' | 'refused' | 'unknown'

/** The intent to mail an invoice or a reminder to one person, once. */
export const BillingMail = defineEntity({
  name: 'BillingMail',
  tableName: 'billing_mails',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    userId: refColumn(),
    invoiceId: refColumn(),
    kind: p.string().$type<BillingMailKind>(),
    /** Days that the payment is late; 0 for the invoice itself. */
    day: p.integer(),
    status: p.string().$type<BillingMailStatus>(),
    error: p.text().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'billing_mails_once', properties: ['invoiceId', 'kind', 'day', 'userId'] }],
  filters: ownedByTenant,
})
