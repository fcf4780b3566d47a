import { z } from 'zod'
import { isoDate, numberedPage, numberedQuery, ulid } from '../../../../platform/wire.ts'
import { changeSetStatuses } from '../changes/entities.ts'
import { AdOutcome } from '../changes/schemas.ts'
import { adPlatformNames } from '../entities.ts'
import { adviceKinds, adviceStatuses, priorities } from './entities.ts'

export const AdviceQuery = numberedQuery.extend({
  tenantId: ulid.optional(),
  status: z.enum(adviceStatuses).optional(),
  platform: z.enum(adPlatformNames).optional(),
})
export type AdviceQuery = z.output<typeof AdviceQuery>

export const Recommendation = z.object({
  id: ulid,
  campaignId: ulid,
  platform: z.enum(adPlatformNames),
  kind: z.enum(adviceKinds),
  title: z.string(),
  /** The rule with its numbers and dates. */
  rationale: z.string(),
  suggestedAction: z.string(),
  estimatedImpact: z.string(),
  priority: z.enum(priorities),
  status: z.enum(adviceStatuses),
  dmNote: z.string().nullable(),
  clientNote: z.string().nullable(),
  /** The change set that does it, as long as it goes on too; the last one where several were tried. */
  changeSetId: ulid.nullable(),
  changeSetStatus: z.enum(changeSetStatuses).nullable(),
  /** What followed, as the change set has it: 7 days before and after, then 14; empty before. */
  outcomes: z.array(AdOutcome),
  appliedAt: isoDate.nullable(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type Recommendation = z.output<typeof Recommendation>
export const RecommendationPage = numberedPage(Recommendation)

export const Insights = z.object({ data: z.array(Recommendation) })
export type Insights = z.output<typeof Insights>

export const AdviceDecision = z.object({
  status: z.enum(['skipped', 'dm_approved', 'client_approved', 'client_rejected']),
  note: z.string().trim().max(10_000).optional(),
})
export type AdviceDecision = z.output<typeof AdviceDecision>
