import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export const recurringStatuses = ['active', 'paused', 'archived'] as const
export type RecurringStatus = (typeof recurringStatuses)[number]

export const audiences = ['all', 'plan_based', 'specific'] as const
export type Audience = (typeof audiences)[number]

/** Work that agents are given again and again, for all tenants or some. Belongs to the installation. */
export const RecurringTemplate = defineEntity({
  name: 'RecurringTemplate',
  tableName: 'recurring_templates',
  properties: {
    id: idColumn(),
    title: p.string(),
    agentRole: p.string(),
    /** Five fields, read in the zone of each tenant. */
    cron: p.string(),
    promptTemplate: p.text(),
    variables: p.json().$type<Record<string, string>>(),
    applyToTenants: p.string().$type<Audience>(),
    tenantIds: p.json().$type<string[]>().strictNullable(),
    /** Names or ids of plans. */
    planIds: p.json().$type<string[]>().strictNullable(),
    status: p.string().$type<RecurringStatus>(),
    /** What was due before is not caught up. */
    activeSince: instantColumn(),
    lastRunAt: instantColumn().strictNullable(),
    createdBy: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
})
export type RecurringRow = InferEntity<typeof RecurringTemplate>

/** How far a template has come for one tenant: each slot is taken by one process, once. */
export const RecurringSlot = defineEntity({
  name: 'RecurringSlot',
  tableName: 'recurring_slots',
  properties: {
    templateId: refColumn().primary(),
    tenantId: refColumn().primary(),
    /** The last instant that was due, whether work came of it or not. */
    slot: instantColumn(),
    /** What came of a slot last. */
    activityId: refColumn().strictNullable(),
  },
  filters: ownedByTenant,
})
