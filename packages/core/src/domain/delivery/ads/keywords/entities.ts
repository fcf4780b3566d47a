import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const keywordStatuses = ['enabled', 'paused', 'removed'] as const
export type KeywordStatus = (typeof keywordStatuses)[number]

export const matchTypes = ['broad', 'phrase', 'exact'] as const
export type MatchType = (typeof matchTypes)[number]

export const negativeSources = ['manual', 'search_term_classification'] as const
export type NegativeSource = (typeof negativeSources)[number]

export const negativeStatuses = ['pending_push', 'active', 'removed'] as const
export type NegativeStatus = (typeof negativeStatuses)[number]

/** Keywords of a campaign that are bid for together. */
export const AdGroup = defineEntity({
  name: 'AdGroup',
  tableName: 'ad_groups',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    externalId: p.string(),
    name: p.text(),
    status: p.string().$type<KeywordStatus>(),
    /** In millionths of the account's currency; null where the platform bids by itself. */
    defaultBidMicros: microsColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'ad_groups_external', properties: ['campaignId', 'externalId'] }],
  indexes: [
    { name: 'ad_groups_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'ad_groups_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})

/** A keyword that ads are shown for, with what it has brought in the last thirty days. */
export const CampaignKeyword = defineEntity({
  name: 'CampaignKeyword',
  tableName: 'campaign_keywords',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    adGroupId: refColumn(),
    /** Unique in its ad group only. */
    externalCriterionId: p.string(),
    text: p.string(),
    matchType: p.string().$type<MatchType>(),
    status: p.string().$type<KeywordStatus>(),
    /** In millionths of the account's currency; null where it has the ad group's. */
    bidMicros: microsColumn().strictNullable(),
    /** 1 to 10; null where the platform gives none. */
    qualityScore: p.integer().strictNullable(),
    impressions: p.bigint('number'),
    clicks: p.bigint('number'),
    costMicros: microsColumn(),
    conversionMicros: microsColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'campaign_keywords_external', properties: ['adGroupId', 'externalCriterionId'] }],
  indexes: [
    // With the tenant, so that pages are counted in the index alone.
    { name: 'campaign_keywords_by_campaign', properties: ['campaignId', 'id', 'tenantId'] },
    { name: 'campaign_keywords_by_status', properties: ['campaignId', 'status', 'id', 'tenantId'] },
    { name: 'campaign_keywords_by_text', properties: ['campaignId', 'text'] },
    { name: 'campaign_keywords_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})

/** A search for which no ad is shown. */
export const NegativeKeyword = defineEntity({
  name: 'NegativeKeyword',
  tableName: 'negative_keywords',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    /** Null: of the whole campaign. */
    adGroupId: refColumn().strictNullable(),
    text: p.string(),
    matchType: p.string().$type<MatchType>(),
    source: p.string().$type<NegativeSource>(),
    status: p.string().$type<NegativeStatus>(),
    /** As the platform knows it; null until it has taken it. */
    externalCriterionId: p.string().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'negative_keywords_by_campaign', properties: ['campaignId', 'status', 'id'] },
    { name: 'negative_keywords_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})
