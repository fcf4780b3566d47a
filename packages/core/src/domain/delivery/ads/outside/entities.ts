import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import type { ChangeValue } from '../changes/entities.ts'

/** One thing that was changed, in words, with amounts in millionths of the account's currency. Null: not told, or nothing. */
export interface OutsideValue {
  label: string
  before: ChangeValue
  after: ChangeValue
}

/** What people or programs have changed at a platform, and no change set of ours. It is shown, and never undone. */
export const OutsideChange = defineEntity({
  name: 'OutsideChange',
  tableName: 'ad_outside_changes',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    mappingId: refColumn(),
    /** By which the platform, or a hash of what it says, tells it from others. */
    externalKey: p.string().length(300),
    at: instantColumn(),
    /** Who has done it, and by which program, where the platform says so. */
    who: p.string().strictNullable(),
    via: p.string().strictNullable(),
    currency: p.string().length(3),
    changes: p.json().$type<OutsideValue[]>(),
    seenOn: instantColumn(),
  },
  uniques: [{ name: 'ad_outside_changes_once', properties: ['mappingId', 'externalKey'] }],
  indexes: [
    { name: 'ad_outside_changes_by_campaign', properties: ['campaignId', 'at'] },
    { name: 'ad_outside_changes_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})
