import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { blockerTypes } from '../../activities/entities.ts'
import { approvalTypes, riskLevels } from '../../approvals/entities.ts'
import { runStatuses, wakeReasons } from '../entities.ts'

const tokens = z.int().min(0).max(1_000_000_000)
const usage = z.object({ inputTokens: tokens, outputTokens: tokens })
const text = z.string().max(1_000_000)
const durationMs = z.number().min(0).max(86_400_000)

export const RunResult = z
  .object({
    status: z.enum(['success', 'error']),
    text: text.optional(),
    error: z.string().max(10_000).optional(),
    usage: usage.optional(),
    durationMs: durationMs.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((value, { addIssue }) => {
    const nothing = value.metadata?.['nothingToDo'] === true
    if (value.status === 'success' && !nothing && !value.text?.trim()) {
      addIssue({
        code: 'custom',
        path: ['text'],
        message: 'A successful result needs text, or metadata.nothingToDo: true',
      })
    }
    if (value.status === 'error' && !value.error?.trim()) {
      addIssue({ code: 'custom', path: ['error'], message: 'A failed result says in error what went wrong' })
    }
  })
export type RunResult = z.output<typeof RunResult>

export const RunResultReceipt = z.object({ received: z.literal(true), runId: ulid })

/** Both shapes that a callback may have: the endpoint's own, and the webhook adapter's. */
export const Callback = z.union([
  z.object({
    status: z.enum(['success', 'error']),
    text: text.optional(),
    error: z.string().max(10_000).optional(),
    usage: usage.optional(),
    durationMs: durationMs.optional(),
  }),
  z.object({
    status: z.enum(['completed', 'failed']),
    output: text.nullish(),
    sessionId: z.string().max(200).nullish(),
    usage: usage.nullish(),
    error: z.string().max(10_000).nullish(),
  }),
])
export type Callback = z.output<typeof Callback>

/** The highest number of a part of a text; clients may begin with the time in microseconds. */
const mostParts = 5_000_000_000_000_000

export const Delta = z.object({ delta: z.string().max(100_000), sequenceNum: z.int().min(0).max(mostParts) })
export type Delta = z.output<typeof Delta>
export const Received = z.object({ received: z.literal(true) })

export const NewToolCall = z.object({
  toolName: z.string().min(1).max(200),
  method: z.string().min(1).max(200),
  input: z.unknown(),
  output: z.unknown().optional(),
  status: z.enum(['success', 'error']),
  error: z.string().max(10_000).optional(),
  durationMs,
  costUsd: z.number().min(0).max(1_000_000).optional(),
})
export type NewToolCall = z.output<typeof NewToolCall>
export const ToolCallReceipt = z.object({ toolCallId: ulid })

export const RunContext = z.object({
  runId: ulid,
  activityId: ulid,
  tenantId: ulid,
  agentRole: z.string(),
  wakeReason: z.enum(wakeReasons),
  prompt: z.string(),
  systemPrompt: z.string().optional(),
  skills: z.array(z.object({ name: z.string(), content: z.string() })),
  priorOutput: z.string().optional(),
  rejectionNote: z.string().optional(),
  reviewerFeedback: z.string().optional(),
  subtaskOutput: z.string().optional(),
  selectedOption: z.string().optional(),
  model: z.string(),
  maxTurns: z.int().optional(),
  timeoutMs: z.int(),
})
export type RunContext = z.output<typeof RunContext>

export const RunState = z.object({
  runId: ulid,
  status: z.enum(runStatuses),
  startedAt: isoDate.optional(),
  expiresAt: isoDate,
})
export type RunState = z.output<typeof RunState>

/** When the token ends, a token that lives as long, and whether the runtime is to stop. */
export const Heartbeat = z.object({
  runId: ulid,
  expiresAt: isoDate,
  taskToken: z.string(),
  cancel: z.boolean(),
})
export type Heartbeat = z.output<typeof Heartbeat>

export const BlockerReport = z
  .object({
    blockerType: z.enum(blockerTypes),
    description: z.string().min(1).max(10_000),
    channelId: ulid.optional(),
    resolution: z.string().max(10_000).optional(),
  })
  .refine((value) => value.blockerType !== 'channel_auth_expired' || value.channelId !== undefined, {
    path: ['channelId'],
    message: 'channelId is required when blockerType is channel_auth_expired',
  })
export type BlockerReport = z.output<typeof BlockerReport>
export const BlockerReceipt = z.object({
  activityId: ulid,
  status: z.literal('blocked'),
  humanTaskCreated: z.boolean(),
})

export const NewSubtask = z.object({
  title: z.string().min(1).max(200),
  agentRole: z.string().min(1).max(100),
  prompt: z.string().min(1).max(100_000),
  blocking: z.boolean().default(true),
  priority: z.enum(['normal', 'high']).default('normal'),
})
export type NewSubtask = z.output<typeof NewSubtask>
export const SubtaskReceipt = z.object({
  subtaskActivityId: ulid,
  blocking: z.boolean(),
  parentActivityId: ulid,
})

export const ReviewRequest = z.object({
  title: z.string().min(1).max(200),
  description: z.string().min(1).max(10_000),
  contentRef: z.string().max(2_000).optional(),
})
export type ReviewRequest = z.output<typeof ReviewRequest>
export const ReviewReceipt = z.object({
  approvalId: ulid,
  activityId: ulid,
  status: z.literal('awaiting_review'),
})

export const NewApproval = z.object({
  title: z.string().min(1).max(200),
  type: z.enum(approvalTypes),
  description: z.string().max(10_000).optional(),
  options: z.array(z.string().min(1).max(500)).max(20).optional(),
  linkedActivityIds: z.array(ulid).max(50).optional(),
  blockCurrentActivity: z.boolean().default(true),
})
export type NewApproval = z.output<typeof NewApproval>
export const ApprovalReceipt = z.object({
  approvalId: ulid,
  type: z.enum(approvalTypes),
  riskLevel: z.enum(riskLevels),
  expiresAt: isoDate,
})

export const Reassignment = z
  .object({
    toRole: z.string().min(1).max(100).optional(),
    toUserId: ulid.optional(),
    reason: z.string().min(1).max(10_000),
  })
  .refine((value) => (value.toRole === undefined) !== (value.toUserId === undefined), {
    path: ['toRole'],
    message: 'Name either toRole or toUserId',
  })
export type Reassignment = z.output<typeof Reassignment>
export const ReassignmentReceipt = z.object({ originalActivityId: ulid, newActivityId: ulid })

export const NewComment = z.object({
  text: z.string().min(1).max(10_000),
  type: z.enum(['comment', 'intervention_note']).default('comment'),
})
export type NewComment = z.output<typeof NewComment>
export const CommentReceipt = z.object({ commentId: ulid })
