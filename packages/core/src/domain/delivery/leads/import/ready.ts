import { KnownLeads, keysOf } from './known.ts'
import type { ReadRow } from './rows.ts'
import { asBound, newValues } from './values.ts'

/**
 * Lines that all become new leads if none of them is there already: made up for the database where they were read, so that the
 * process that answers others has next to nothing to do with them.
 */
export interface ReadyLeads {
  /** How many leads they are. */
  count: number
  /** The leads without their ids; see `asBound`. */
  values: Uint8Array
  /**
   * Telephone numbers that no lead that is there may have, as JSON; undefined for none: those of leads without an address, and those of the
   * others, which only a lead without one doubles. That no identity is there already the database itself sees to.
   */
  phones: string | undefined
  phonesOfAddressed: string | undefined
}

/** @returns undefined for rows of which each has to be looked at: faults, doubles among themselves, notes, and ids of leads */
export function readyLeads(rows: readonly ReadRow[]): ReadyLeads | undefined {
  const seen = new KnownLeads()
  const leads = []
  for (const [n, row] of rows.entries()) {
    if (!('lead' in row) || row.lead.notes || seen.find(row.lead) !== undefined) return undefined
    seen.add(row.lead, `${n}`)
    leads.push(row.lead)
  }
  const { ids, phones, phonesOfAddressed } = keysOf(leads)
  if (ids.length > 0) return undefined
  const json = (values: readonly string[]) => (values.length > 0 ? JSON.stringify(values) : undefined)
  return {
    count: leads.length,
    values: asBound(leads.map(newValues)),
    phones: json(phones),
    phonesOfAddressed: json(phonesOfAddressed),
  }
}
