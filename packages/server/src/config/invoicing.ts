import { z } from 'zod'
import { text } from './parts.ts'
import type { Setting } from './settings.ts'

const line = () => text().max(500, 'has more than 500 characters')
const country = () => z.string().regex(/^[A-Za-z]{2}$/, 'must be a country code of two letters')
const percent = () =>
  z
    .number()
    .min(0, 'must not be negative')
    .max(100, 'must be 100 or less')
    .refine((rate) => Math.round(rate * 100) / 100 === rate, 'must have at most two decimals')

/** `invoicing` of the configuration. */
export const Invoicing = () =>
  z.strictObject({
    issuer: z
      .strictObject({
        name: line(),
        address: line().optional(),
        state: line().optional(),
        country: country(),
        taxNumber: line().optional(),
      })
      .optional(),
    /** Per cent by country. */
    taxRates: z.record(country(), percent()).optional(),
    tdsRate: percent().optional(),
  })
export type Invoicing = z.output<ReturnType<typeof Invoicing>>

export const invoicingSettings: readonly Setting[] = [
  { path: 'invoicing.issuer.name', env: ['COPYDESK_INVOICING_ISSUER_NAME'], kind: 'text' },
  { path: 'invoicing.issuer.address', env: ['COPYDESK_INVOICING_ISSUER_ADDRESS'], kind: 'text' },
  { path: 'invoicing.issuer.state', env: ['COPYDESK_INVOICING_ISSUER_STATE'], kind: 'text' },
  { path: 'invoicing.issuer.country', env: ['COPYDESK_INVOICING_ISSUER_COUNTRY'], kind: 'text' },
  { path: 'invoicing.issuer.taxNumber', env: ['COPYDESK_INVOICING_ISSUER_TAX_NUMBER'], kind: 'text' },
  { path: 'invoicing.taxRates', env: ['COPYDESK_INVOICING_TAX_RATES'], kind: 'rates' },
  { path: 'invoicing.tdsRate', env: ['COPYDESK_INVOICING_TDS_RATE'], kind: 'number' },
].map((setting) => ({ ...setting, kind: setting.kind as Setting['kind'], shownWhenSet: true as const }))
