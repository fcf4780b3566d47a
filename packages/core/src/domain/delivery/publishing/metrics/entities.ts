import { defineEntity, p } from '@mikro-orm/core'
import { dateColumn, idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** A figure that a platform may not have; it can be larger than 32 bits. */
const figure = () => p.bigint('number').strictNullable()

/** What became of a post: its totals as its platform counted them, last read on a day (UTC). */
export const PublicationMetrics = defineEntity({
  name: 'PublicationMetrics',
  tableName: 'publication_metrics',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    publicationId: refColumn(),
    day: dateColumn(),
    impressions: figure(),
    reach: figure(),
    reactions: figure(),
    comments: figure(),
    shares: figure(),
    clicks: figure(),
    /** Mails that were sent, and how many people have opened one. */
    deliveries: figure(),
    opens: figure(),
    unsubscribes: figure(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'publication_metrics_once', properties: ['publicationId', 'day'] }],
  indexes: [{ name: 'publication_metrics_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})
