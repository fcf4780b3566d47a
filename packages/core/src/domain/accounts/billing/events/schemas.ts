import { z } from 'zod'
import { isoDate, page, pageQuery, spanEnd, ulid } from '../../../../platform/wire.ts'
import { paymentEventStatuses } from './entities.ts'

const status = z.enum(paymentEventStatuses)

export const BillingEvent = z.object({
  id: ulid,
  eventType: z.string(),
  /** Null while it is not known whose it is. */
  tenantId: ulid.nullable(),
  tenantName: z.string().nullable(),
  provider: z.string(),
  /** The provider's id, or the hash of the body. */
  eventId: z.string(),
  providerSubscriptionId: z.string().nullable(),
  status,
  /** Why it changed nothing. */
  reason: z.string().nullable(),
  payment: z
    .object({
      id: z.string(),
      /** In the smallest unit of the currency. */
      amount: z.int(),
      currency: z.string(),
      refunded: z.int(),
    })
    .nullable(),
  occurredAt: isoDate,
  receivedAt: isoDate,
  appliedAt: isoDate.nullable(),
})
export type BillingEvent = z.output<typeof BillingEvent>
export const BillingEventPage = page(BillingEvent)

export const BillingEventQuery = pageQuery.extend({
  tenantId: ulid.optional(),
  'filter.eventType': z.string().min(1).max(100).optional(),
  'filter.status': status.optional(),
  /** By when it was received: days of UTC, or instants. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
})
export type BillingEventQuery = z.output<typeof BillingEventQuery>
