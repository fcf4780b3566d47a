import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const activityStarted = defineEvent(
  'activity_started',
  z.object({
    activityId: z.string(),
    runId: z.string(),
    attempt: z.int(),
    title: z.string(),
    agentRole: z.string(),
  }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const activityCompleted = defineEvent(
  'activity_completed',
  z.object({
    activityId: z.string(),
    status: z.literal('done'),
    outputRef: z.string().nullable(),
    title: z.string(),
  }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const activityFailed = defineEvent(
  'activity_failed',
  z.object({
    activityId: z.string(),
    title: z.string(),
    agentRole: z.string().nullable(),
    error: z.string().nullable(),
    /** Null where a person has ended it. */
    family: z.string().nullable(),
  }),
  { audiences: ['tenant'], webhook: true },
)

export const activityBlocked = defineEvent(
  'activity_blocked',
  z.object({ activityId: z.string(), blockerType: z.string() }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const activityReassigned = defineEvent(
  'activity_reassigned',
  z.object({ activityId: z.string(), newActivityId: z.string() }),
)
