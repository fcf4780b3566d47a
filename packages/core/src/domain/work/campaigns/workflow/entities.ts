import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const segmentTypes = ['crm_segment', 'platform_audience', 'custom_list'] as const
type SegmentType = (typeof segmentTypes)[number]

/** A group of people that a campaign speaks to. */
export const CampaignAudience = defineEntity({
  name: 'CampaignAudience',
  tableName: 'campaign_audiences',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    name: p.string(),
    segmentType: p.string().$type<SegmentType>(),
    /** What its people have in common. */
    filters: p.json().$type<Record<string, unknown>>(),
    estimatedSize: p.integer().strictNullable(),
    platformAudienceId: p.string().strictNullable(),
    /** The analyst's are replaced by the next analysis, unless a person has changed them. */
    source: p.string().$type<'agent' | 'manual'>(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'campaign_audiences_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'campaign_audiences_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})

export type AudienceRow = InferEntity<typeof CampaignAudience>

export type OrderKind = 'brief' | 'audience' | 'content' | 'review'

/** An activity that someone has asked for on behalf of a campaign, beside what its planning opens. */
export const CampaignOrder = defineEntity({
  name: 'CampaignOrder',
  tableName: 'campaign_orders',
  properties: {
    activityId: refColumn().primary(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    kind: p.string().$type<OrderKind>(),
    /** What was said about it. */
    input: p.json().$type<Record<string, unknown>>(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'campaign_orders_by_campaign', properties: ['campaignId', 'kind', 'activityId'] },
    { name: 'campaign_orders_by_tenant', properties: ['tenantId', 'activityId'] },
  ],
  filters: ownedByTenant,
})
export type OrderRow = InferEntity<typeof CampaignOrder>
