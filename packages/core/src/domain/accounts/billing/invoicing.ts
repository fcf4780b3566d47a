import type { InvoiceParty } from './invoices/entities.ts'

/** Who writes the invoices of an installation, and the taxes on them. Without an issuer there are none. */
export interface InvoicingOptions {
  issuer?: { name: string; address?: string; state?: string; country: string; taxNumber?: string }
  /** Per cent on every line by the country of the buyer, with at most two decimals. */
  taxRates?: Record<string, number>
  /** Per cent that tenants with `tdsDeduction` withhold from the lines before tax. */
  tdsRate?: number
}

/** The same as the services use it; rates in hundredths of a per cent. */
export interface Invoicing {
  issuer: InvoiceParty | null
  taxRates: Readonly<Record<string, number>>
  tdsRate: number
}

const hundredths = (percent: number) => Math.round(percent * 100)

export function toInvoicing({ issuer, taxRates = {}, tdsRate = 0 }: InvoicingOptions = {}): Invoicing {
  return {
    issuer: issuer
      ? {
          name: issuer.name,
          address: issuer.address ?? null,
          state: issuer.state ?? null,
          country: issuer.country.toUpperCase(),
          taxNumber: issuer.taxNumber ?? null,
        }
      : null,
    taxRates: Object.fromEntries(
      Object.entries(taxRates).map(([country, percent]) => [country.toUpperCase(), hundredths(percent)]),
    ),
    tdsRate: hundredths(tdsRate),
  }
}

/** Hundredths of a per cent that a buyer pays on each line. */
export function taxRateFor({ issuer, taxRates }: Invoicing, buyer: InvoiceParty): number {
  return issuer && buyer.country ? (taxRates[buyer.country] ?? 0) : 0
}

const plain = (text: string | null) => (text ?? '').trim().toLowerCase()

/** The first two digits of a GSTIN say in which state its holder is registered. */
const gstState = ({ taxNumber }: InvoiceParty) => /^(\d{2})[A-Z0-9]{13}$/.exec(taxNumber ?? '')?.[1]

/** How a tax is named on an invoice: in India in two halves within a state, and whole across states. */
export function taxParts(
  tax: number,
  { issuer, buyer }: { issuer: InvoiceParty | null; buyer: InvoiceParty | null },
): Array<{ name: string; amount: number; share: 1 | 2 }> {
  if (issuer?.country !== 'IN' || buyer?.country !== 'IN') return [{ name: 'Tax', amount: tax, share: 1 }]
  const states = [gstState(issuer), gstState(buyer)]
  const same =
    states[0] !== undefined && states[1] !== undefined
      ? states[0] === states[1]
      : plain(issuer.state) !== '' && plain(issuer.state) === plain(buyer.state)
  if (!same) return [{ name: 'IGST', amount: tax, share: 1 }]
  const half = Math.floor(tax / 2)
  return [
    { name: 'CGST', amount: tax - half, share: 2 },
    { name: 'SGST', amount: half, share: 2 },
  ]
}

declare module '../../../kernel/services.ts' {
  interface Settings {
    invoicing: Invoicing
  }
}
