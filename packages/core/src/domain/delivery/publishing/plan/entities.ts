import { defineEntity, p } from '@mikro-orm/core'
import { instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** When pieces of a tenant go out for which nobody has named a time; without a row, at once. */
export const PublishingSlots = defineEntity({
  name: 'PublishingSlots',
  tableName: 'publishing_slots',
  properties: {
    tenantId: refColumn().primary(),
    /** 1 is Monday, 7 is Sunday. */
    days: p.json().$type<number[]>(),
    /** `HH:MM` in the tenant's zone. */
    times: p.json().$type<string[]>(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})
