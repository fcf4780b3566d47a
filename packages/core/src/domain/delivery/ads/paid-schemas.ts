import { z } from 'zod'
import { isoDate, isoDay, page, pageQuery, shownDay, ulid } from '../../../platform/wire.ts'
import { campaignStatuses } from '../../work/campaigns/entities.ts'
import { AdFigures } from '../../work/campaigns/metrics/schemas.ts'
import { adPlatformNames } from './entities.ts'

export const PaidCampaignQuery = pageQuery.extend({
  'filter.platform': z.enum(adPlatformNames).optional(),
  /** Default: thirty days up to `to`. */
  from: isoDay.optional(),
  /** Default: today in the tenant's zone. */
  to: isoDay.optional(),
})
export type PaidCampaignQuery = z.output<typeof PaidCampaignQuery>

const PaidCampaign = AdFigures.extend({
  id: ulid,
  campaignId: ulid,
  name: z.string(),
  status: z.enum(campaignStatuses),
  platform: z.enum(adPlatformNames),
  externalCampaignId: z.string(),
  /** As the platform reports it. */
  externalStatus: z.string(),
  /** Of a day; null where the platform has it otherwise. */
  dailyBudget: z.number().nullable(),
  lastSyncedAt: isoDate.nullable(),
  syncError: z.string().nullable(),
})
export type PaidCampaign = z.output<typeof PaidCampaign>

export const PaidCampaignPage = page(PaidCampaign).extend({
  /** The days that are counted. */
  from: shownDay,
  to: shownDay,
  /** Of all campaigns, not of this page; amounts of different currencies are never added. */
  totals: z.array(AdFigures),
})
export type PaidCampaignPage = z.output<typeof PaidCampaignPage>
