import { z } from 'zod'
import { isoDate, isoDay, shownDay, ulid } from '../../../../platform/wire.ts'

/** Money is in units of `currency`, which is that of the platform's account. */
export const AdFigures = z.object({
  currency: z.string(),
  spend: z.number(),
  impressions: z.int(),
  clicks: z.int(),
  conversions: z.number(),
  /** Clicks of impressions, 0 to 1; null where nothing was shown. */
  ctr: z.number().nullable(),
  averageCpc: z.number().nullable(),
  costPerConversion: z.number().nullable(),
})
export type AdFigures = z.output<typeof AdFigures>

export const granularities = ['day', 'week', 'month'] as const

export const MetricsQuery = z.object({
  tenantId: ulid.optional(),
  channel: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,49}$/)
    .optional(),
  /** Default: thirty days before `to`. */
  from: isoDay.optional(),
  /** Default: today in the tenant's zone. */
  to: isoDay.optional(),
  granularity: z.enum(granularities).default('day'),
})
export type MetricsQuery = z.output<typeof MetricsQuery>

export const CampaignMetricsReply = z.object({
  from: shownDay,
  to: shownDay,
  granularity: z.enum(granularities),
  /** Oldest first; a week begins on Monday, and `date` is its first day. Days without a figure are left out. */
  data: z.array(AdFigures.extend({ date: shownDay, channel: z.string() })),
  /** Of all days, one for each channel and currency: amounts of different currencies are never added. */
  totals: z.array(AdFigures.extend({ channel: z.string() })),
  /** When the figures were last fetched; null before the first time. */
  lastSyncedAt: isoDate.nullable(),
})
export type CampaignMetricsReply = z.output<typeof CampaignMetricsReply>
