import type { Transaction } from '../../../../kernel/context.ts'
import { Tenant, TenantProfile } from '../../tenants/entities.ts'
import type { InvoiceParty } from './entities.ts'

export interface Buyer extends InvoiceParty {
  /** It pays a part of each invoice to its tax office. */
  withholds: boolean
}

/** To whom the invoices of a tenant go, as of now. */
export async function buyerOf(txn: Transaction, tenantId: string): Promise<Buyer> {
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  const profile = await txn.em.findOne(TenantProfile, { tenantId })
  const street = [
    profile?.billingAddress,
    [profile?.billingPostal, profile?.billingCity].filter(Boolean).join(' '),
  ]
  return {
    name: profile?.billingName ?? profile?.legalName ?? tenant.name,
    address: street.filter(Boolean).join(', ') || null,
    state: profile?.billingState ?? profile?.state ?? null,
    country: profile?.billingCountry ?? profile?.country ?? null,
    taxNumber: profile?.gstin ?? null,
    withholds: profile?.tdsDeduction ?? false,
  }
}
