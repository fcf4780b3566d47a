import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn } from '../../../platform/database/columns.ts'

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
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'tenants_domain', properties: ['domain'] }],
})
