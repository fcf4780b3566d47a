import { defineEntity } from '@mikro-orm/core'
import {
  dateColumn,
  figureColumn,
  idColumn,
  instantColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** What became of a post: its totals as its platform counted them, last read on a day (UTC). */
export const PublicationMetrics = defineEntity({
  name: 'PublicationMetrics',
  tableName: 'publication_metrics',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    publicationId: refColumn(),
    day: dateColumn(),
    impressions: figureColumn(),
    reach: figureColumn(),
    reactions: figureColumn(),
    comments: figureColumn(),
    shares: figureColumn(),
    clicks: figureColumn(),
    /** Mails that were sent, and how many people have opened one. */
    deliveries: figureColumn(),
    opens: figureColumn(),
    unsubscribes: figureColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'publication_metrics_once', properties: ['publicationId', 'day'] }],
  indexes: [{ name: 'publication_metrics_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})
