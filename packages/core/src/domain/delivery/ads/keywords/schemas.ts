import { z } from 'zod'
import { isoDate, numberedPage, numberedQuery, ulid } from '../../../../platform/wire.ts'
import { keywordStatuses, matchTypes, negativeSources, negativeStatuses } from './entities.ts'

export const AdGroupQuery = numberedQuery.extend({ tenantId: ulid.optional() })
export type AdGroupQuery = z.output<typeof AdGroupQuery>

const AdGroupItem = z.object({
  id: ulid,
  name: z.string(),
  status: z.enum(keywordStatuses),
  /** In millionths of the account's currency; null where the platform bids by itself. */
  defaultBidMicros: z.int().nullable(),
  externalId: z.string(),
})
export const AdGroupPage = numberedPage(AdGroupItem)

export const KeywordQuery = numberedQuery.extend({
  tenantId: ulid.optional(),
  adGroupId: ulid.optional(),
  status: z.enum(keywordStatuses).optional(),
  matchType: z.enum(matchTypes).optional(),
})
export type KeywordQuery = z.output<typeof KeywordQuery>

/** AdFigures are of the thirty days before the last sync; money is in the account's currency. */
export const KeywordItem = z.object({
  id: ulid,
  adGroupId: ulid,
  text: z.string(),
  matchType: z.enum(matchTypes),
  status: z.enum(keywordStatuses),
  bidMicros: z.int().nullable(),
  qualityScore: z.int().nullable(),
  impressions: z.int(),
  clicks: z.int(),
  ctr: z.number().nullable(),
  averageCpc: z.number().nullable(),
  conversions: z.number(),
  externalCriterionId: z.string(),
  updatedOn: isoDate,
})
export type KeywordItem = z.output<typeof KeywordItem>
export const KeywordPage = numberedPage(KeywordItem)

export const NegativeQuery = numberedQuery.extend({
  tenantId: ulid.optional(),
  /** `null`: of the whole campaign. */
  adGroupId: z.union([ulid, z.literal('null')]).optional(),
  status: z.enum(negativeStatuses).optional(),
})
export type NegativeQuery = z.output<typeof NegativeQuery>

export const NegativeItem = z.object({
  id: ulid,
  keyword: z.string(),
  matchType: z.enum(matchTypes),
  adGroupId: ulid.nullable(),
  source: z.enum(negativeSources),
  status: z.enum(negativeStatuses),
  externalCriterionId: z.string().nullable(),
  createdOn: isoDate,
})
export type NegativeItem = z.output<typeof NegativeItem>
export const NegativePage = numberedPage(NegativeItem)
