import { z } from 'zod'
import {
  isoDate,
  isoDay,
  numberedPage,
  numberedQuery,
  page,
  pageQuery,
  queryBool,
  shownDay,
  ulid,
} from '../../../../platform/wire.ts'
import { AdFigures } from '../../../work/campaigns/metrics/schemas.ts'
import { classificationStatuses, classifications } from './entities.ts'

/** As the dashboard calls what a campaign calls a classification. */
export const termIntents = ['high_intent', 'low_intent', 'negative', 'watch'] as const

export const TermSyncOrder = z.object({ from: isoDay, to: isoDay })
export type TermSyncOrder = z.output<typeof TermSyncOrder>

export const ClassifyStarted = z.object({
  /** Search terms that wait to be sorted. */
  queued: z.int(),
})
export type ClassifyStarted = z.output<typeof ClassifyStarted>

export const TermQuery = numberedQuery.extend({
  tenantId: ulid.optional(),
  classified: queryBool.optional(),
  classification: z.enum(classifications).optional(),
})
export type TermQuery = z.output<typeof TermQuery>

const term = AdFigures.extend({
  id: ulid,
  campaignId: ulid,
  searchTerm: z.string(),
  date: shownDay,
  /** `pending` until a person has decided, `pushed` once it is at the platform; null until it is sorted. */
  classificationStatus: z.enum(classificationStatuses).nullable(),
  /** What the classifier goes by. */
  reason: z.string().nullable(),
  note: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedOn: isoDate.nullable(),
})

export const TermItem = term.extend({ classification: z.enum(classifications).nullable() })
export type TermItem = z.output<typeof TermItem>
export const TermPage = numberedPage(TermItem)

export const TermDecision = z.object({ dmDecision: z.enum(classifications) })
export type TermDecision = z.output<typeof TermDecision>

export const IntentQuery = pageQuery.extend({
  'filter.classification': z.enum(termIntents).optional(),
  'filter.campaignId': ulid.optional(),
})
export type IntentQuery = z.output<typeof IntentQuery>

export const IntentItem = term.extend({ classification: z.enum(termIntents).nullable() })
export type IntentItem = z.output<typeof IntentItem>
export const IntentPage = page(IntentItem)

export const IntentDecision = z.object({
  classification: z.enum(termIntents),
  note: z.string().trim().max(2_000).optional(),
})
export type IntentDecision = z.output<typeof IntentDecision>
