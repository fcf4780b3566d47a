import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../platform/database/columns.ts'
import { ownedByTenant } from '../platform/database/scope.ts'
import type { GivenConsent } from './context.ts'

/** One act on the record: who did what to which resource, and how it looked before and after. */
export const AuditRecord = defineEntity({
  name: 'AuditRecord',
  tableName: 'audit_records',
  properties: {
    id: idColumn(),
    requestId: p.string().length(26),
    tenantId: refColumn().strictNullable(),
    actorId: p.string(),
    actorType: p.string().$type<'human' | 'agent' | 'api_key'>(),
    impersonating: refColumn().strictNullable(),
    assistant: p.string().strictNullable(),
    consent: p.json().$type<GivenConsent>().strictNullable(),
    surface: p.string(),
    method: p.string(),
    path: p.text(),
    action: p.string(),
    resourceType: p.string(),
    resourceId: p.string().strictNullable(),
    before: p.json().$type<unknown>().strictNullable(),
    after: p.json().$type<unknown>().strictNullable(),
    status: p.integer(),
    durationMs: p.integer(),
    createdAt: instantColumn(),
  },
  indexes: [
    { name: 'audit_records_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'audit_records_by_resource', properties: ['resourceId'] },
  ],
  filters: ownedByTenant,
})

/** Facts about this installation, such as the proof that its encryption key is the right one. */
export const Setting = defineEntity({
  name: 'Setting',
  tableName: 'settings',
  properties: {
    name: p.string().primary(),
    value: p.text(),
  },
})

/** How far a job of the calendar has come: each slot is taken by one process, once. */
export const CalendarSlot = defineEntity({
  name: 'CalendarSlot',
  tableName: 'calendar_slots',
  properties: {
    /** The kind of the job. */
    kind: p.string().primary(),
    /** The last instant that was due. */
    slot: instantColumn(),
  },
})
