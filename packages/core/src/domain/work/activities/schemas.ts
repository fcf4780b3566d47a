import { z } from 'zod'
import { isoDate, offsetQuery, page, pageQuery, queryInt, ulid } from '../../../platform/wire.ts'
import { approvalStatuses, approvalTypes } from '../approvals/entities.ts'
import { deliverableTypes } from '../campaigns/entities.ts'
import { endedRunStatuses, wakeReasons } from '../runs/entities.ts'
import { activityStatuses } from './entities.ts'

export const ActivitySummary = z.object({
  id: ulid,
  title: z.string(),
  type: z.string(),
  status: z.enum(activityStatuses),
  agentRole: z.string().nullable(),
  assigneeName: z.string(),
  campaignId: ulid.nullable(),
  campaignName: z.string().nullable(),
  deliverableId: ulid.optional(),
  approvalId: ulid.optional(),
  wakeReason: z.enum(wakeReasons).optional(),
  startedAt: isoDate.optional(),
  completedAt: isoDate.optional(),
  costUsd: z.number(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type ActivitySummary = z.output<typeof ActivitySummary>
export const ActivityPage = page(ActivitySummary)

export const ActivityQuery = pageQuery.extend({
  'filter.status': z.enum(activityStatuses).optional(),
  'filter.agentRole': z.string().max(100).optional(),
  'filter.campaignId': ulid.optional(),
  'filter.deliverableId': ulid.optional(),
  'filter.wakeReason': z.enum(wakeReasons).optional(),
})
export type ActivityQuery = z.output<typeof ActivityQuery>

export const DeliverableActivityQuery = pageQuery.extend({
  'filter.status': z.enum(activityStatuses).optional(),
})
export type DeliverableActivityQuery = z.output<typeof DeliverableActivityQuery>

export const Comment = z.object({
  id: ulid,
  text: z.string(),
  type: z.enum(['comment', 'intervention_note']),
  author: z.object({ id: z.string(), name: z.string(), type: z.enum(['human', 'agent']) }),
  mentions: z.array(z.object({ type: z.enum(['agent', 'human']), id: z.string(), name: z.string() })),
  createdOn: isoDate,
})
export type Comment = z.output<typeof Comment>
export const CommentPage = page(Comment)

/** How many comments one answer holds at most. */
export const mostComments = 100

export const CommentQuery = pageQuery.extend({
  limit: queryInt(1, mostComments).default(mostComments),
  order: z.enum(['asc', 'desc']).default('asc'),
})
export type CommentQuery = z.output<typeof CommentQuery>

const named = z.object({ id: z.string(), name: z.string() })

export const ActivityDetail = z.object({
  id: ulid,
  title: z.string(),
  type: z.string(),
  status: z.enum(activityStatuses),
  agentRole: z.string().nullable(),
  assignee: named.extend({ type: z.enum(['agent', 'human']) }),
  campaign: named.nullable(),
  deliverable: z.object({ id: ulid, type: z.enum(deliverableTypes) }).optional(),
  approval: z.object({ id: ulid, type: z.enum(approvalTypes), status: z.enum(approvalStatuses) }).optional(),
  inputPrompt: z.string(),
  outputRef: z.string().optional(),
  outputPreview: z.string().optional(),
  /** The latest hundred, oldest first; the others are on the pages of the list. */
  comments: z.array(Comment),
  /** How many there are. */
  commentsTotal: z.int(),
  /** Those that have ended, the oldest first. */
  runs: z.array(
    z.object({
      id: ulid,
      status: z.enum(endedRunStatuses),
      model: z.string().nullable(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      costUsd: z.number(),
      durationMs: z.int(),
      startedAt: isoDate,
      completedAt: isoDate.optional(),
      error: z.string().optional(),
    }),
  ),
  /** The run that is under way, or that waits for its agent and has not started. */
  currentRun: z.object({ id: ulid, startedAt: isoDate.nullable() }).optional(),
  subtasks: z.array(ActivitySummary),
  /** Why it stands still, when it does. */
  blocker: z.object({ type: z.string(), description: z.string() }).optional(),
  failureReason: z.string().optional(),
  hold: z.enum(['pausing', 'paused']).optional(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type ActivityDetail = z.output<typeof ActivityDetail>

export const ActivityOutput = z.object({
  activityId: ulid,
  text: z.string(),
  format: z.enum(['markdown', 'html', 'plain']),
  /** Number and SHA-256 of the version. */
  version: z.int(),
  contentHash: z.string(),
  createdOn: isoDate,
})

export const RetryReceipt = z.object({ activityId: ulid, runId: ulid })

const words = z.string().max(10_000)

export const Pause = z.object({ reason: words.optional() })
export const PauseReceipt = z.object({ activityId: ulid, status: z.literal('pausing') })
export const Resumption = z.object({ note: words.optional() })
export const Cancellation = z.object({ reason: words.min(1) })
export const CancelReceipt = z.object({
  activityId: ulid,
  status: z.literal('failed'),
  /** What could only come after it and ended with it: subtasks and later steps. */
  alsoCancelled: z.array(ulid),
})

export const Handover = z.object({
  assigneeType: z.enum(['agent', 'human']),
  /** An agent role, or the id of a person of the tenant. */
  assigneeId: z.string().min(1).max(100),
  reason: words.min(1),
  note: words.optional(),
})
export type Handover = z.output<typeof Handover>

export const WholeHandover = z.object({
  /** The id of a person or an agent of the same tenant. */
  toId: ulid,
  reason: words.min(1),
})
export const WholeHandoverReceipt = z.object({ reassigned: z.int() })

export const LogQuery = pageQuery.omit({ order: true })
export type LogQuery = z.output<typeof LogQuery>

/** One line of what has happened to an activity. */
export const LogItem = z.object({
  id: ulid,
  at: isoDate,
  kind: z.string(),
  /** Name of who did it. */
  actor: z.string(),
  message: z.string(),
  runId: ulid.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
})
export type LogItem = z.output<typeof LogItem>
export const LogPage = page(LogItem)

export const MobileActivityQuery = offsetQuery(20).extend({
  'filter.status': z.enum(activityStatuses).optional(),
  'filter.campaignId': ulid.optional(),
})
export type MobileActivityQuery = z.output<typeof MobileActivityQuery>

const { campaign, approval, outputPreview, outputRef } = ActivityDetail.shape

export const MobileActivityPage = z.object({
  data: z.array(
    ActivitySummary.pick({ id: true, title: true, status: true, agentRole: true, updatedOn: true }).extend({
      campaign,
    }),
  ),
  total: z.int(),
})
export type MobileActivityPage = z.output<typeof MobileActivityPage>

export const MobileActivity = ActivitySummary.pick({
  id: true,
  title: true,
  type: true,
  status: true,
  agentRole: true,
  costUsd: true,
  createdOn: true,
}).extend({ campaign, approval, outputPreview, outputRef, lastRunAt: isoDate.optional() })
export type MobileActivity = z.output<typeof MobileActivity>
