import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { subscriptionStatuses } from './entities.ts'
import { billingCycles, planNames } from './plans/entities.ts'
import { currencies, regionCodes } from './plans/regions.ts'

export const OwnSubscription = z.object({
  id: ulid,
  plan: z.enum(planNames),
  planLabel: z.string(),
  status: z.enum(subscriptionStatuses),
  billingCycle: z.enum(billingCycles),
  region: z.enum(regionCodes),
  currency: z.enum(currencies),
  /** Of one cycle before the discount, in the smallest unit of the currency. */
  priceAmount: z.int(),
  discount: z.int(),
  /** Of one cycle after the discount. */
  priceFormatted: z.string(),
  /** Used by the invoices to come before anything is to be paid. */
  creditAmount: z.int(),
  /** What agents may spend in a period before it is billed; null is everything. */
  includedUsd: z.number().nullable(),
  /** For each US dollar beyond that. */
  overageAmount: z.int(),
  trialEndsAt: isoDate.nullable(),
  startedAt: isoDate.nullable(),
  periodStart: isoDate.nullable(),
  periodEnd: isoDate.nullable(),
  /** Null for one that ends with its period. */
  nextBillingDate: isoDate.nullable(),
  cancelsAtPeriodEnd: z.boolean(),
  cancelledAt: isoDate.nullable(),
  pastDueSince: isoDate.nullable(),
})
export type OwnSubscription = z.output<typeof OwnSubscription>

export const PlanChange = z.object({
  /** From `GET /auth/v1/plans`: the id of a price, or of an offering. Either this or `plan`. */
  planId: ulid.optional(),
  plan: z.enum(planNames).optional(),
  /** With `plan`; default: as it is. */
  cycle: z.enum(['monthly', 'annual']).optional(),
})
export type PlanChange = z.output<typeof PlanChange>

export const UsageReport = z.object({
  periodStart: isoDate.nullable(),
  periodEnd: isoDate.nullable(),
  currency: z.enum(currencies),
  includedUsd: z.number().nullable(),
  usedUsd: z.number(),
  /** What the usage up to now adds to the next invoice before tax, in the smallest unit of the currency. */
  overageAmount: z.int(),
  overageFormatted: z.string(),
  kinds: z.array(
    z.object({
      /** Agent role. */
      kind: z.string(),
      /** It belongs to an earlier period, whose invoice was issued without it. */
      late: z.boolean(),
      runs: z.int(),
      costUsd: z.number(),
      costMicros: z.int(),
    }),
  ),
})
export type UsageReport = z.output<typeof UsageReport>
