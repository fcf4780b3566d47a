import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'
import type { Cap } from './caps.ts'

/** The newest alert of a cap that is used up, or nearly. */
export const BudgetAlert = defineEntity({
  name: 'BudgetAlert',
  tableName: 'budget_alerts',
  properties: {
    /** The activity, campaign or tenant that the cap is set on. */
    capId: idColumn(),
    tenantId: refColumn(),
    scope: p.string().$type<Cap['scope']>(),
    /** Percent. */
    level: p.integer(),
    /** As it was then: one that was changed since is another cap. */
    limitMicros: microsColumn(),
    message: p.text(),
    raisedOn: instantColumn(),
    /** When the cap begins anew; null is never. */
    until: instantColumn().strictNullable(),
  },
  indexes: [{ name: 'budget_alerts_by_tenant', properties: ['tenantId', 'raisedOn', 'capId'] }],
  filters: ownedByTenant,
})
