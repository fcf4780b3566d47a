import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** What an input of a form fills: a field of the lead, or a line of the comment under the input's own name (`other`). */
export const formTargets = [
  'firstName',
  'lastName',
  'name',
  'email',
  'phone',
  'company',
  'message',
  'consent',
  'other',
] as const
export type FormTarget = (typeof formTargets)[number]

export interface FormField {
  /** Name of the input in the page. */
  input: string
  fills: FormTarget
  required: boolean
}

/** A form on a web site of the tenant whose submissions become leads. */
export const LeadForm = defineEntity({
  name: 'LeadForm',
  tableName: 'lead_forms',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    name: p.string(),
    /** Origins of the pages that may send it. */
    allowedOrigins: p.json().$type<string[]>(),
    /** Where browsers are sent afterwards; the first one unless the page asks for another. Without any to the thank-you page. */
    redirectUrls: p.json().$type<string[]>(),
    thankYou: p.text().strictNullable(),
    /** What people agree to by the input that fills `consent`. */
    consentText: p.text().strictNullable(),
    fields: p.json().$type<FormField[]>(),
    /** Name of the input that people do not see: what fills it is a program. */
    honeypot: p.string(),
    notify: p.boolean(),
    active: p.boolean(),
    received: p.integer(),
    dropped: p.integer(),
    lastReceivedOn: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [{ name: 'lead_forms_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})

export type LeadFormRow = InferEntity<typeof LeadForm>
