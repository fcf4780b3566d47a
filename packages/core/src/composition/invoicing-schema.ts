import { z } from 'zod'

const text = z.string().min(1, 'is empty').max(500, 'has more than 500 characters')
const percent = z
  .number()
  .min(0, 'must not be negative')
  .max(100, 'must be 100 or less')
  .refine((rate) => Math.round(rate * 100) / 100 === rate, 'must have at most two decimals')
const countryCode = z.string().regex(/^[A-Za-z]{2}$/, 'must be a country code of two letters')
/** The option `invoicing`. */
export const InvoicingInput = z.strictObject({
  issuer: z
    .strictObject({
      name: text,
      address: text.optional(),
      state: text.optional(),
      country: countryCode,
      taxNumber: text.optional(),
    })
    .optional(),
  taxRates: z.record(countryCode, percent).optional(),
  tdsRate: percent.optional(),
})
