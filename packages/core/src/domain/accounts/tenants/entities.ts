import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export const tenantStatuses = ['onboarding', 'trial', 'active', 'suspended', 'cancelled'] as const
export type TenantStatus = (typeof tenantStatuses)[number]

/** True for a tenant that no one may log in to. */
export const isSuspended = (status: string | null | undefined) =>
  status === 'suspended' || status === 'cancelled'

/** A customer: the wall that no id, list or stream crosses. */
export const Tenant = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: idColumn(),
    name: p.string(),
    domain: p.string().strictNullable(),
    plan: p.string(),
    status: p.string().$type<TenantStatus>(),
    /** IANA zone: periods, schedules and "today" are counted in it. */
    timezone: p.string(),
    /** Monthly cap on what agents may spend; null is none. */
    spendCapMicros: microsColumn().strictNullable(),
    featureFlags: p.json().$type<Record<string, boolean>>(),
    /** True for a tenant that a visitor made by registration; false for one that an operator took on. */
    registered: p.boolean().default(false),
    /** True until the mailbox of an admin of a registered tenant is proved: no run starts before. */
    awaitsProof: p.boolean().default(false),
    /** True while a payment is overdue: people read and pay, no run starts and nothing goes out. */
    awaitsPayment: p.boolean().default(false),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'tenants_domain', properties: ['domain'] }],
})

export const companySizes = ['1-10', '11-50', '51-200', '201-500', '500+'] as const
export const businessTypes = ['agency', 'in_house', 'freelancer'] as const

/** What a tenant says about its company, and to whom its invoices go. */
export const TenantProfile = defineEntity({
  name: 'TenantProfile',
  tableName: 'tenant_profiles',
  properties: {
    tenantId: refColumn().primary(),
    legalName: p.string().strictNullable(),
    website: p.text().strictNullable(),
    industry: p.string().strictNullable(),
    companySize: p.string().$type<(typeof companySizes)[number]>().strictNullable(),
    businessType: p.string().$type<(typeof businessTypes)[number]>().strictNullable(),
    phone: p.string().strictNullable(),
    country: p.string().length(2).strictNullable(),
    /** Code of the state or province. */
    state: p.string().strictNullable(),
    /** Number for tax invoices. */
    gstin: p.string().strictNullable(),
    /** The tenant deducts tax at source from what it pays. */
    tdsDeduction: p.boolean(),
    billingName: p.string().strictNullable(),
    billingAddress: p.text().strictNullable(),
    billingCity: p.string().strictNullable(),
    billingState: p.string().strictNullable(),
    billingCountry: p.string().length(2).strictNullable(),
    billingPostal: p.string().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})
