import type { InferEntity } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { TenantProfile } from './billing-entities.ts'

type Row = InferEntity<typeof TenantProfile>

/** What is known about a company and its billing address; fields that are left out stay as they are, at first unset. */
export type Profile = Partial<Omit<Row, 'tenantId' | 'createdOn' | 'updatedOn'>>

/** Keeps what a tenant says about its company and to whom its invoices go. Values are checked by who takes them in. */
export async function saveProfile(cmd: Command, tenantId: string, profile: Profile): Promise<void> {
  const now = cmd.clock.date()
  const found = await cmd.em.findOne(TenantProfile, { tenantId })
  if (found) {
    Object.assign(found, profile, { updatedOn: now })
    return
  }
  cmd.em.create(TenantProfile, {
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
