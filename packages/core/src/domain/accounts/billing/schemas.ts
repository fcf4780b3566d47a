import { z } from 'zod'
import { ulid } from '../../../platform/wire.ts'
import { currencies, regionCodes } from './plans/regions.ts'

export const BillingOverride = z.object({
  action: z.enum(['extend_trial', 'apply_discount', 'mark_paid', 'change_plan']),
  /** Days, a percentage, or the name of a plan; nothing for `mark_paid`. */
  value: z
    .union([z.string().trim().min(1).max(100), z.number().min(0).max(365)], {
      error: 'Must be days from 1 to 365, a percentage from 0 to 100, or the name of a plan',
    })
    .optional(),
  /** For the audit log. */
  reason: z.string().trim().min(1).max(2_000),
})
export type BillingOverride = z.output<typeof BillingOverride>
export const OverrideReceipt = z.object({
  tenantId: ulid,
  action: BillingOverride.shape.action,
  applied: z.literal(true),
})
export type OverrideReceipt = z.output<typeof OverrideReceipt>

export const OfferingsQuery = z.object({
  /** ISO 3166-1 alpha-2; a country without prices of its own gets those of the US. */
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'Must be a country code of two letters (ISO 3166-1 alpha-2)')
    .transform((code) => code.toUpperCase())
    .optional(),
})

export const Offerings = z.array(
  z.object({
    id: ulid,
    name: z.string(),
    plans: z.array(
      z.object({
        id: ulid,
        name: z.string(),
        /** In the smallest unit of the currency. */
        priceAmount: z.int().min(0),
        currency: z.enum(currencies),
        billingCycle: z.enum(['monthly', 'annual']),
        trialDays: z.int().min(0),
        region: z.enum(regionCodes),
      }),
    ),
  }),
)
export type Offerings = z.output<typeof Offerings>
