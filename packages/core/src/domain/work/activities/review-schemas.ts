import { z } from 'zod'
import { page, pageQuery, ulid } from '../../../platform/wire.ts'
import { stepTypes } from '../campaigns/entities.ts'
import { PieceSource } from '../sources/schemas.ts'
import { activityStatuses } from './entities.ts'
import { ActivityDetail, ActivitySummary } from './schemas.ts'

const ofTenant = { tenantId: ulid, tenantName: z.string() }

export const ReviewerActivitySummary = ActivitySummary.extend(ofTenant)
export type ReviewerActivitySummary = z.output<typeof ReviewerActivitySummary>
export const ReviewerActivityPage = page(ReviewerActivitySummary)

export const ReviewerActivityQuery = pageQuery.extend({
  tenantId: ulid.optional(),
  'filter.status': z.enum(activityStatuses).optional(),
  'filter.agentRole': z.string().max(100).optional(),
  'filter.type': z.enum(stepTypes).optional(),
})
export type ReviewerActivityQuery = z.output<typeof ReviewerActivityQuery>

export const ReviewerActivityDetail = ActivityDetail.extend({
  ...ofTenant,
  /** False once it is done, was given to someone else or was cancelled; what has failed can be tried again. */
  canIntervene: z.boolean(),
})
export type ReviewerActivityDetail = z.output<typeof ReviewerActivityDetail>

const StepSource = z.object({
  kind: z.literal('step'),
  activityId: ulid,
  title: z.string(),
  agentRole: z.string().nullable(),
  version: z.int(),
  format: z.enum(['markdown', 'html', 'plain']),
  text: z.string(),
})
export type StepSource = z.output<typeof StepSource>

/** What a piece of work was made from. */
export const ActivityBrief = z.object({
  activityId: ulid,
  /** The task as the agent was given it. */
  prompt: z.string(),
  campaign: z.object({ id: ulid, name: z.string(), brief: z.string() }).nullable(),
  /** The newest texts of the steps before it, then what its agents were given from documents and the web. */
  sources: z.array(z.discriminatedUnion('kind', [StepSource, PieceSource])),
})
export type ActivityBrief = z.output<typeof ActivityBrief>
