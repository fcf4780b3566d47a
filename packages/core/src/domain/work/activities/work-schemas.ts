import { z } from 'zod'
import { isoDate, page, queryInt, ulid } from '../../../platform/wire.ts'
import { approvalTypes, riskLevels } from '../approvals/entities.ts'
import { activityStatuses } from './entities.ts'

export const workStates = ['pending', 'running', 'blocked', 'failed'] as const
export type WorkState = (typeof workStates)[number]

export const WorkQuery = z.object({
  tenantId: ulid.optional(),
  /** Default: what waits for people, `pending` and `blocked`. */
  status: z.enum([...workStates, 'all']).optional(),
  /** What is made, such as `blog_post`, or the kind of step. */
  type: z.string().min(1).max(100).optional(),
  /** An agent role. */
  agent: z.string().min(1).max(100).optional(),
  limit: queryInt(1, 200).default(50),
  cursor: z.string().min(1).max(200).optional(),
})
export type WorkQuery = z.output<typeof WorkQuery>
/** Of people of one tenant, who name none. */
export const TenantWorkQuery = WorkQuery.omit({ tenantId: true })

/** One line of the queue: a question that waits for a verdict, or a piece of work. */
export const WorkItem = z.object({
  /** Of the question where there is one, else of the activity. */
  id: ulid,
  /** Null for a question that is about no activity. */
  activityId: ulid.nullable(),
  /** What is made, such as `blog_post`; the kind of step where it is no piece of a deliverable. */
  type: z.string(),
  title: z.string(),
  tenantId: ulid,
  tenantName: z.string(),
  agentRole: z.string().nullable(),
  /** The part of the queue that it is in; what the activity itself is stands in `activityStatus`. */
  status: z.enum(workStates),
  riskLevel: z.enum(riskLevels).nullable(),
  /** Whole minutes in this status. */
  ageMinutes: z.int().min(0),
  /** Of the activity, or of the question where there is none. */
  createdAt: isoDate,
  campaignName: z.string().nullable(),
  activityStatus: z.enum(activityStatuses).nullable(),
  approvalId: ulid.nullable(),
  approvalType: z.enum(approvalTypes).nullable(),
  /** By when people are expected to decide, and when the question lapses. */
  dueAt: isoDate.nullable(),
  expiresAt: isoDate.nullable(),
  /** Name of who looks at it now. */
  claimedBy: z.string().nullable(),
  /** Why it stands still or what it failed of. */
  reason: z.string().nullable(),
  /** Since when it is in this status. */
  since: isoDate,
})
export type WorkItem = z.output<typeof WorkItem>

const items = z.array(WorkItem)
const count = z.int().min(0)

export const WorkQueue = z.object({
  pending: items,
  running: items,
  blocked: items,
  failed: items,
  /** How many match in all, whatever `status` and `limit` say. */
  counts: z.object({ pending: count, running: count, blocked: count, failed: count }),
  pagination: page(z.unknown()).shape.pagination,
})
export type WorkQueue = z.output<typeof WorkQueue>
