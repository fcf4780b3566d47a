import { defineEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  figureColumn,
  idColumn,
  instantColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** What a platform has counted of an account as a whole on a day of its own calendar. */
export const AccountDay = defineEntity({
  name: 'AccountDay',
  tableName: 'account_days',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    channelId: refColumn(),
    /** The account that was read. */
    accountKey: p.string().length(32),
    day: dateColumn(),
    views: figureColumn(),
    /** People to whom something was shown. */
    reach: figureColumn(),
    engagements: figureColumn(),
    newFollowers: figureColumn(),
    /** All of them, at the end of the day. */
    followers: figureColumn(),
    websiteClicks: figureColumn(),
    calls: figureColumn(),
    /** Requests for the way there. */
    directions: figureColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'account_days_once', properties: ['channelId', 'day'] }],
  indexes: [{ name: 'account_days_by_tenant', properties: ['tenantId', 'day', 'id'] }],
  filters: ownedByTenant,
})
