import { z } from 'zod'
import { isoDate, isoDay, shownDay, ulid } from '../../../platform/wire.ts'
import { WorkflowCampaign } from '../../work/campaigns/workflow/schemas.ts'
import { adPlatformNames } from './entities.ts'

const externalId = z.string().trim().min(1).max(100)
const externalName = z.string().trim().min(1).max(1_000)
/** In units of the account's currency. */
const budget = z.number().min(0).max(1_000_000_000)

export const ImportQuery = z.object({
  channel: z.enum(adPlatformNames),
  connectedChannelId: ulid,
})
export type ImportQuery = z.output<typeof ImportQuery>

export const ImportList = z.object({
  campaigns: z.array(
    z.object({
      externalCampaignId: z.string(),
      name: z.string(),
      /** As the platform reports it. */
      status: z.string(),
      /** Of a day, in `currency`. */
      budget: z.number().optional(),
      currency: z.string(),
      accountId: z.string(),
      startDate: shownDay.optional(),
      endDate: shownDay.optional(),
      alreadyImported: z.boolean(),
    }),
  ),
})
export type ImportList = z.output<typeof ImportList>

export const ImportOrder = z.object({
  connectedChannelId: ulid,
  platform: z.enum(adPlatformNames),
  campaigns: z
    .array(
      z.object({
        externalCampaignId: externalId,
        name: externalName,
        budget: budget.optional(),
        startDate: isoDay.optional(),
        endDate: isoDay.optional(),
      }),
    )
    .min(1)
    .max(200),
  deliverablePeriodId: ulid.optional(),
})
export type ImportOrder = z.output<typeof ImportOrder>

export const LinkOrder = z.object({
  connectedChannelId: ulid,
  platform: z.enum(adPlatformNames),
  externalCampaignId: externalId,
  externalCampaignName: externalName,
})
export type LinkOrder = z.output<typeof LinkOrder>

export const Mapping = z.object({
  id: ulid,
  campaignId: ulid,
  connectedChannelId: ulid,
  platform: z.enum(adPlatformNames),
  accountId: z.string(),
  currency: z.string(),
  externalCampaignId: z.string(),
  externalCampaignName: z.string(),
  externalStatus: z.string(),
  /** Of a day, in `currency`; null where the platform has it otherwise. */
  dailyBudget: z.number().nullable(),
  lastSyncedAt: isoDate.nullable(),
  /** Why the last attempt to fetch something failed. */
  syncError: z.string().nullable(),
  createdOn: isoDate,
})
export type Mapping = z.output<typeof Mapping>

export const Imported = z.array(WorkflowCampaign.extend({ mapping: Mapping }))
export type Imported = z.output<typeof Imported>

/** How many platforms are asked; the figures are there once they have answered. */
export const SyncStarted = z.object({ queued: z.int() })
export type SyncStarted = z.output<typeof SyncStarted>
