import { z } from 'zod'
import { isoDate, ulid } from '../../platform/wire.ts'
import { RunRecord } from '../runs/admin-schemas.ts'
import { AgentDetail } from './schemas.ts'

export const reviewerAgentStatuses = ['active', 'running', 'error', 'paused', 'terminated'] as const

/** An agent role of one tenant as reviewers see it. */
export const ReviewerAgentState = z.object({
  tenantId: ulid,
  tenantName: z.string(),
  role: z.string(),
  /** `active` is at the ready, `running` at work. */
  status: z.enum(reviewerAgentStatuses),
  runningCount: z.int(),
  model: z.string(),
  lastErrorAt: isoDate.optional(),
  lastErrorMessage: z.string().optional(),
  /** Runs that wait for their turn. */
  queueDepth: z.int(),
})
export type ReviewerAgentState = z.output<typeof ReviewerAgentState>
export const ReviewerAgentList = z.object({ data: z.array(ReviewerAgentState) })

export const ReviewerAgentQuery = z.object({
  tenantId: ulid.optional(),
  'filter.status': z.enum(reviewerAgentStatuses).optional(),
  'filter.role': z.string().max(100).optional(),
})
export type ReviewerAgentQuery = z.output<typeof ReviewerAgentQuery>

export const ReviewerAgentDetail = AgentDetail.extend({
  tenantId: ulid,
  tenantName: z.string(),
  queueDepth: z.int(),
  /** The newest ten. */
  recentRuns: z.array(RunRecord),
})
export type ReviewerAgentDetail = z.output<typeof ReviewerAgentDetail>

const words = z.string().max(10_000)

export const AgentPause = z.object({ reason: words.optional() })
export const ErrorClearance = z.object({ note: words.optional() })

export const ManualRun = z.object({
  tenantId: ulid,
  prompt: z.string().min(1).max(50_000),
  /** Default: the first line of the prompt. */
  title: z.string().min(1).max(200).optional(),
  campaignId: ulid.optional(),
  priority: z.enum(['normal', 'high']).default('normal'),
})
export type ManualRun = z.output<typeof ManualRun>
