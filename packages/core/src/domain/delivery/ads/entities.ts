import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** Places where ads run, as campaigns name them. */
export const adPlatformNames = ['search_ads', 'social_ads', 'professional_ads'] as const
export type AdPlatformName = (typeof adPlatformNames)[number]

/** A campaign of ours is one of a platform's. */
export const CampaignMapping = defineEntity({
  name: 'CampaignMapping',
  tableName: 'campaign_mappings',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    /** The connection by which the platform is asked. */
    channelId: refColumn(),
    platform: p.string().$type<AdPlatformName>(),
    /** The account of the platform that it runs in, and the one through which that is reached; null where it is reached itself. */
    accountId: p.string(),
    loginAccountId: p.string().strictNullable(),
    /** Of the account: all its money is in this currency, all its days in this zone. */
    currency: p.string().length(3),
    timezone: p.string(),
    externalCampaignId: p.string(),
    externalName: p.text(),
    /** As the platform reports it. */
    externalStatus: p.string(),
    /** What it may spend on a day, in millionths of the currency; null where its budget is of another kind. */
    dailyBudgetMicros: microsColumn().strictNullable(),
    /** The name of the budget at the platform, and whether other campaigns spend it too. */
    budgetName: p.string().strictNullable(),
    budgetShared: p.boolean(),
    lastSyncedAt: instantColumn().strictNullable(),
    keywordsSyncedAt: instantColumn().strictNullable(),
    termsSyncedAt: instantColumn().strictNullable(),
    /** Until when it is known what was changed at the platform by others. */
    outsideSyncedAt: instantColumn().strictNullable(),
    /** Why the last attempt has brought nothing, in words for people. */
    syncError: p.text().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'campaign_mappings_once', properties: ['campaignId', 'platform'] },
    // One campaign of the platform is counted once.
    { name: 'campaign_mappings_external', properties: ['tenantId', 'platform', 'externalCampaignId'] },
  ],
  indexes: [
    { name: 'campaign_mappings_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'campaign_mappings_by_channel', properties: ['channelId', 'id'] },
  ],
  filters: ownedByTenant,
})
export type MappingRow = InferEntity<typeof CampaignMapping>
