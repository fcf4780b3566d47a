import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import type { User } from './entities.ts'

/**
 * A tenant or a role that was given to an account whose mailbox nobody has proved. It counts for nothing until the proof comes,
 * and then becomes an assignment or the role.
 */
export const PendingGrant = defineEntity({
  name: 'PendingGrant',
  tableName: 'pending_grants',
  properties: {
    id: idColumn(),
    userId: refColumn(),
    /** Of an assignment; null for a role. */
    tenantId: refColumn().strictNullable(),
    /** Of a role; null for an assignment. */
    role: p.string().$type<InferEntity<typeof User>['role']>().strictNullable(),
    /** User ULID, or `system`. */
    grantedBy: p.string(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'pending_grants_once', properties: ['userId', 'tenantId'] }],
})
