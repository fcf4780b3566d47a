import { defineEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

/** What one day has brought a campaign on one channel, as its platform has last counted it. */
export const CampaignMetrics = defineEntity({
  name: 'CampaignMetrics',
  tableName: 'campaign_metrics',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    /** Such as `search_ads`. */
    channel: p.string(),
    /** In the zone of the platform's account. */
    date: dateColumn(),
    /** Of the platform's account. */
    currency: p.string().length(3),
    impressions: p.bigint('number'),
    clicks: p.bigint('number'),
    /** In millionths of the currency. */
    costMicros: microsColumn(),
    /** In millionths: platforms count parts of conversions. */
    conversionMicros: microsColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'campaign_metrics_day', properties: ['campaignId', 'channel', 'date'] }],
  indexes: [{ name: 'campaign_metrics_by_tenant', properties: ['tenantId', 'date', 'campaignId'] }],
  filters: ownedByTenant,
})
