import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import type { businessTypes, companySizes } from '../tenants/entities.ts'

/** What a visitor has said so far; the password is kept beside it, as a hash. */
export interface RegistrationAnswers {
  firstName: string
  lastName: string
  email: string
  phone: string
  country: string
  companyName?: string
  website?: string
  industry?: string
  companySize?: (typeof companySizes)[number]
  businessType?: (typeof businessTypes)[number]
  state?: string
  timezone?: string
  gstNumber?: string | undefined
}

/** A visitor on the way to a tenant of the own. Its id is what the registration token is made out to. */
export const Registration = defineEntity({
  name: 'Registration',
  tableName: 'registrations',
  properties: {
    id: idColumn(),
    /** argon2id; gone when the registration is complete. */
    passwordHash: p.string().strictNullable(),
    answers: p.json().$type<RegistrationAnswers>(),
    /** The last step that is done, 1 to 4; the fourth is its completion. */
    step: p.integer(),
    /** What is asked of the payment provider: id of the subscription to be, and what it is for. */
    checkoutId: refColumn().strictNullable(),
    checkoutFor: p.text().strictNullable(),
    /** Until then the provider is being asked, and no one else asks. */
    checkoutUntil: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [{ name: 'registrations_by_age', properties: ['createdOn'] }],
})
export type RegistrationRow = InferEntity<typeof Registration>
