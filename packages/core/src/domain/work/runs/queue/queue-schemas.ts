import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../../platform/wire.ts'
import { failureFamilies } from '../../../agents/models/entities.ts'

const count = z.int().min(0)

/** The queue of one agent role of one tenant. */
export const QueueNumbers = z.object({
  tenantId: ulid,
  tenantName: z.string(),
  agentRole: z.string(),
  /** Runs that are due and wait for their turn. */
  waiting: count,
  /** Runs in progress. */
  active: count,
  /** Runs that may not start yet, for example before the next try. */
  delayed: count,
  /** Runs that failed in the last 24 hours, tried again or not. */
  failed: count,
  /** Work that was given up and that no one has tried again. */
  deadLettered: count,
  /** No run starts: the agent is paused, or the tenant neither active nor on trial. */
  paused: z.boolean(),
  /** How long the oldest of those that wait has been due, seconds; null when none waits. */
  oldestWaitingAgeS: count.nullable(),
})
export type QueueNumbers = z.output<typeof QueueNumbers>
export const QueueList = z.object({ data: z.array(QueueNumbers) })
export const QueueQuery = z.object({ tenantId: ulid.optional() })

/** A run or a job that was given up. */
export const DeadLetter = z.object({
  id: ulid,
  kind: z.enum(['run', 'job']),
  /** The agent role of a run, the kind of a job. */
  name: z.string(),
  tenantId: ulid.nullable(),
  tenantName: z.string().nullable(),
  agentRole: z.string().nullable(),
  /** The work that a run was for. */
  activityId: ulid.nullable(),
  activityTitle: z.string().nullable(),
  /** What the last try failed of. */
  message: z.string(),
  family: z.enum(failureFamilies).nullable(),
  history: z.array(
    z.object({
      attempt: z.int(),
      at: isoDate,
      error: z.string(),
      family: z.enum(failureFamilies).nullable(),
    }),
  ),
  failedAt: isoDate,
  createdOn: isoDate,
})
export type DeadLetter = z.output<typeof DeadLetter>
export const DeadLetterPage = page(DeadLetter)

export const DeadLetterQuery = pageQuery.extend({
  'filter.tenantId': ulid.optional(),
  /** Leaves jobs out: they belong to no agent. */
  'filter.agentRole': z.string().max(100).optional(),
})
export type DeadLetterQuery = z.output<typeof DeadLetterQuery>
