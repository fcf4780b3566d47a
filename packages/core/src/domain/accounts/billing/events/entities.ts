import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { amountColumn, idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import type { ProviderEvent } from '../payments.ts'

/** `ignored`: known, and without effect here; `unknown`: of a kind or a subscription that no one here knows. */
export const paymentEventStatuses = ['received', 'applied', 'ignored', 'unknown'] as const
export type PaymentEventStatus = (typeof paymentEventStatuses)[number]

/** What a payment provider has told, as it came. Each id of a provider is kept, and applied, once. */
export const PaymentEvent = defineEntity({
  name: 'PaymentEvent',
  tableName: 'payment_events',
  properties: {
    id: idColumn(),
    provider: p.string(),
    /** The provider's id, or the hash of the body. */
    eventId: p.string(),
    /** In the words of the contract, such as `subscription.charged`; the provider's own for what has no such word. */
    type: p.string(),
    /** Null while there is no such subscription here. */
    subscriptionId: refColumn().strictNullable(),
    providerSubscriptionId: p.string().strictNullable(),
    /** When it happened at the provider. */
    occurredOn: instantColumn(),
    status: p.string().$type<PaymentEventStatus>(),
    /** Why nothing was done, in words. */
    reason: p.text().strictNullable(),
    /** What it says of a payment, in our words. */
    payment: p.json().$type<ProviderEvent['payment']>().strictNullable(),
    /** JSON, as it came. */
    body: p.text(),
    receivedOn: instantColumn(),
    appliedOn: instantColumn().strictNullable(),
  },
  uniques: [{ name: 'payment_events_once', properties: ['provider', 'eventId'] }],
  indexes: [
    { name: 'payment_events_by_subscription', properties: ['subscriptionId', 'id'] },
    { name: 'payment_events_by_type', properties: ['type', 'id'] },
    { name: 'payment_events_by_reference', properties: ['providerSubscriptionId', 'id'] },
  ],
})
export type PaymentEventRow = InferEntity<typeof PaymentEvent>

/** Money that a provider took for a subscription, and how much of it went back. */
export const Payment = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    subscriptionId: refColumn(),
    provider: p.string(),
    /** What the provider calls it. */
    providerPaymentId: p.string(),
    amount: amountColumn(),
    refunded: amountColumn().default(0),
    currency: p.string().length(3),
    paidOn: instantColumn(),
    /** The invoice that it settled. */
    invoiceId: refColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'payments_once', properties: ['provider', 'providerPaymentId'] }],
  indexes: [{ name: 'payments_by_tenant', properties: ['tenantId', 'paidOn', 'id'] }],
  // A payment is read by jobs of the system, and by operators.
})
export type PaymentRow = InferEntity<typeof Payment>

export const paymentEntities = [Payment, PaymentEvent]
