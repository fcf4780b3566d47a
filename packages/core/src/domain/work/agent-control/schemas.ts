import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { AgentDetail } from '../../agents/configuration/schemas.ts'
import { RunRecord } from '../runs/lifecycle/admin-schemas.ts'

export const reviewerAgentStatuses = ['active', 'running', 'error', 'paused', 'terminated'] as const

/** An agent role of one tenant as reviewers see it. */
export const ReviewerAgentState = z.object({
  tenantId: ulid,
  tenantName: z.string(),
  role: z.string(),
  /** `active` is at the ready, `running` in progress. */
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

/** What a runtime calls one of its conversations. */
export const SessionName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces')

const tokens = z.int().min(0).max(1_000_000_000_000)

export const SessionReport = z.object({
  sessionId: SessionName,
  /** The run that used it last; one of this role. */
  activityRunId: ulid,
  inputTokensSoFar: tokens,
  outputTokensSoFar: tokens,
})
export type SessionReport = z.output<typeof SessionReport>
export const SessionReceipt = z.object({ sessionId: z.string(), upserted: z.literal(true) })

/** Null and zeros where there has been none. */
export const LatestSession = z.object({
  sessionId: z.string().nullable(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  createdAt: isoDate.nullable(),
})
export type LatestSession = z.output<typeof LatestSession>

export const AgentHealth = z.object({
  agentRole: z.string(),
  adapterType: z.string(),
  ok: z.boolean(),
  message: z.string(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
  checkedAt: isoDate,
})
export type AgentHealth = z.output<typeof AgentHealth>

export const ProbeReceipt = z.object({
  ok: z.boolean(),
  probeOutput: z.string().optional(),
  durationMs: z.int(),
  error: z.string().optional(),
  /** The run that the probe was; absent where none was started. */
  runId: ulid.optional(),
})
export type ProbeReceipt = z.output<typeof ProbeReceipt>
