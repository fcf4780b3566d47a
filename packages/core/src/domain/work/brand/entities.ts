import { defineEntity, p } from '@mikro-orm/core'
import { instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** Something with a name, and what there is to know about it. */
export interface Described {
  name: string
  description: string
}

/** A claim that may only be made with proof; null as long as there is none. */
export interface ProvableClaim {
  phrase: string
  proof: string | null
}

/** What a brand is and how it speaks. */
export interface Brand {
  /** How the company is called in texts; null is by the tenant's name. */
  company: { name: string | null; description: string }
  products: Described[]
  audiences: Described[]
  competitors: Described[]
  voice: string
  bannedPhrases: string[]
  claims: ProvableClaim[]
}

/** A tenant's brand as it is now; former states are kept as versions. A tenant without a row has said nothing yet. */
export const BrandProfile = defineEntity({
  name: 'BrandProfile',
  tableName: 'brand_profiles',
  properties: {
    tenantId: refColumn().primary(),
    brand: p.json().$type<Brand>(),
    /** The version that is in force. */
    version: p.integer(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})
