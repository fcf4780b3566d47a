import { defineEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  figureColumn,
  idColumn,
  instantColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** What one source has counted of a website on a day of its own calendar, or of a page of ours there. */
export const WebsiteDay = defineEntity({
  name: 'WebsiteDay',
  tableName: 'website_days',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** The connection to the source. */
    channelId: refColumn(),
    /** The website of the source that was read. */
    accountKey: p.string().length(32),
    day: dateColumn(),
    /** The piece whose page it is; empty for the whole website, so that it is unique. */
    publicationId: p.string().length(26),
    views: figureColumn(),
    sessions: figureColumn(),
    visitors: figureColumn(),
    keyEvents: figureColumn(),
    searchImpressions: figureColumn(),
    searchClicks: figureColumn(),
    /** In thousandths: 1,000 is the first place. */
    searchPlaceMilli: figureColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'website_days_once', properties: ['channelId', 'day', 'publicationId'] }],
  indexes: [
    { name: 'website_days_by_tenant', properties: ['tenantId', 'day', 'id'] },
    { name: 'website_days_by_publication', properties: ['publicationId', 'day'] },
  ],
  filters: ownedByTenant,
})
