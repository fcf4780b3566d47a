import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import type { Change } from '../changes/schemas.ts'
import type { AdPlatformName } from '../entities.ts'

export const adviceKinds = [
  'wasted_keyword',
  'wasted_searches',
  'limited_budget',
  'broken_page',
  'unfit_search',
] as const
export type AdviceKind = (typeof adviceKinds)[number]

export const priorities = ['high', 'medium', 'low'] as const
export type Priority = (typeof priorities)[number]

export const adviceStatuses = [
  'pending',
  'skipped',
  'dm_approved',
  'client_approved',
  'client_rejected',
  'dm_reviewing',
  'applied',
] as const
export type AdviceStatus = (typeof adviceStatuses)[number]

/** Something that would make a campaign better, with what it goes by. It is done through a change set, or by hand. */
export const CampaignRecommendation = defineEntity({
  name: 'CampaignRecommendation',
  tableName: 'campaign_recommendations',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    platform: p.string().$type<AdPlatformName>(),
    kind: p.string().$type<AdviceKind>(),
    /** What it is about, so that it is not given twice while it is open. */
    subject: p.string(),
    title: p.string(),
    /** The rule with its numbers and dates. */
    rationale: p.text(),
    suggestedAction: p.text(),
    estimatedImpact: p.text(),
    changes: p.json().$type<Change[]>(),
    priority: p.string().$type<Priority>(),
    /** 0 comes first. */
    rank: p.integer(),
    status: p.string().$type<AdviceStatus>(),
    dmNote: p.text().strictNullable(),
    clientNote: p.text().strictNullable(),
    changeSetId: refColumn().strictNullable(),
    appliedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'campaign_recommendations_by_campaign', properties: ['campaignId', 'rank', 'id'] },
    { name: 'campaign_recommendations_by_tenant', properties: ['tenantId', 'id'] },
  ],
  filters: ownedByTenant,
})
export type AdviceRow = InferEntity<typeof CampaignRecommendation>
