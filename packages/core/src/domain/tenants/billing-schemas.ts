import { z } from 'zod'
import { ulid } from '../../platform/wire.ts'
import { currencies, regionCodes } from './regions.ts'

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
