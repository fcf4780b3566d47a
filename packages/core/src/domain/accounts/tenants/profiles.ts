import type { InferEntity } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { TenantProfile } from './entities.ts'

type Row = InferEntity<typeof TenantProfile>

/** What is known about a company and its billing address; fields that are left out stay as they are, at first unset. */
export type CompanyProfile = Partial<Omit<Row, 'tenantId' | 'createdOn' | 'updatedOn'>>

/** Keeps what a tenant says about its company and to whom its invoices go. Values are checked by who takes them in. */
export async function saveProfile(
  txn: Transaction,
  tenantId: string,
  profile: CompanyProfile,
): Promise<void> {
  const now = txn.clock.date()
  const found = await txn.em.findOne(TenantProfile, { tenantId })
  if (found) {
    Object.assign(found, profile, { updatedOn: now })
    return
  }
  txn.em.create(TenantProfile, {
    tenantId,
    legalName: null,
    website: null,
    industry: null,
    companySize: null,
    businessType: null,
    phone: null,
    country: null,
    state: null,
    gstin: null,
    tdsDeduction: false,
    billingName: null,
    billingAddress: null,
    billingCity: null,
    billingState: null,
    billingCountry: null,
    billingPostal: null,
    ...profile,
    createdOn: now,
    updatedOn: now,
  })
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * True for an Indian GSTIN in upper case: state, PAN, entity, `Z` and a check character, so that a mistyped one is
 * noticed before it stands on an invoice.
 */
export function isGstin(text: string): boolean {
  if (!/^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/.test(text)) return false
  let sum = 0
  for (let i = 0; i < 14; i += 1) {
    const product = alphabet.indexOf(text.charAt(i)) * (i % 2 === 0 ? 1 : 2)
    sum += Math.floor(product / 36) + (product % 36)
  }
  return alphabet[(36 - (sum % 36)) % 36] === text.charAt(14)
}

/** True for what can be a tax number anywhere, in upper case. */
export function isTaxNumber(text: string): boolean {
  return /^[A-Z0-9][A-Z0-9 ./-]{3,29}$/.test(text)
}
