import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, spanEnd, ulid } from '../../../../platform/wire.ts'
import { callStatuses, failureFamilies } from '../../../agents/models/entities.ts'
import { transcriptTypes, wakeReasons } from '../entities.ts'

/** A run that was given up because its time was over has failed, and says `timedOut`. */
export const runStates = ['pending', 'running', 'completed', 'failed'] as const

export const RunQuery = pageQuery.omit({ order: true }).extend({
  limit: queryInt(1, 100).default(50),
  tenantId: ulid.optional(),
  agentRole: z.string().min(1).max(100).optional(),
  status: z.enum(runStates).optional(),
  /** Days in UTC, or instants. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
})
export type RunQuery = z.output<typeof RunQuery>

export const RunRecord = z.object({
  runId: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  agentRole: z.string(),
  agentName: z.string(),
  /** The one that answered; null before it starts. */
  model: z.string().nullable(),
  status: z.enum(runStates),
  timedOut: z.boolean(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number(),
  /** False when the price of its model is not known, so that the cost of 0 is no fact. */
  priced: z.boolean(),
  durationMs: z.int().nullable(),
  /** Of one that waits, when it began to. */
  startedAt: isoDate,
  completedAt: isoDate.nullable(),
  error: z.string().nullable(),
  errorFamily: z.enum(failureFamilies).nullable(),
})
export type RunRecord = z.output<typeof RunRecord>
export const RunList = z.object({ data: z.array(RunRecord), nextCursor: z.string().nullable() })
export type RunList = z.output<typeof RunList>

export const TranscriptLine = z.object({
  type: z.enum(transcriptTypes),
  content: z.string(),
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  /** `toolName` for tools, `cut` where something was left out. */
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type TranscriptLine = z.output<typeof TranscriptLine>

export const RunDetail = RunRecord.extend({
  adapter: z.string().nullable(),
  activityId: ulid,
  campaignId: ulid.nullable(),
  wakeReason: z.enum(wakeReasons),
  attempt: z.int(),
  inputPrompt: z.string().nullable(),
  /** The text that it handed in. */
  output: z.string().nullable(),
  /** The first 500 characters of the task. */
  inputSummary: z.string(),
  skills: z.array(z.string()),
  transcript: z.array(TranscriptLine).nullable(),
  agentConfig: z.object({ name: z.string(), systemPrompt: z.string() }).nullable(),
})
export type RunDetail = z.output<typeof RunDetail>

export const CallQuery = pageQuery.extend({
  limit: queryInt(1, 100).default(50),
  tenantId: ulid.optional(),
  model: z.string().min(1).max(200).optional(),
  /** Days in UTC, or instants. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
})
export type CallQuery = z.output<typeof CallQuery>

export const CallRecord = z.object({
  id: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  runId: ulid,
  agentRole: z.string(),
  /** Null for what a remote runtime reports of a provider of its own, in one line a run. */
  provider: z.string().nullable(),
  model: z.string(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** True where no one counted the tokens. */
  estimated: z.boolean(),
  costUsd: z.number(),
  priced: z.boolean(),
  durationMs: z.int(),
  status: z.enum(callStatuses),
  family: z.enum(failureFamilies).nullable(),
  createdOn: isoDate,
})
export type CallRecord = z.output<typeof CallRecord>
export const CallPage = page(CallRecord)
