import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

const ended = z.object({
  runId: z.string(),
  attempt: z.int(),
  status: z.string(),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
  /** The text, where it is kept nowhere else. */
  output: z.string().optional(),
})

export const runCompleted = defineEvent('run_completed', ended, { audiences: ['reviewers'] })

/** One attempt; what can be tried again starts once more. */
export const runFailed = defineEvent(
  'run_failed',
  ended.extend({ error: z.string(), family: z.string().nullable() }),
  { audiences: ['reviewers'] },
)

export const toolCalled = defineEvent(
  'tool_call',
  z.object({ activityId: z.string(), name: z.string(), input: z.unknown() }),
)

export const toolReturned = defineEvent(
  'tool_result',
  z.object({ activityId: z.string(), name: z.string(), output: z.unknown() }),
)

export const budgetAlert = defineEvent(
  'budget_alert',
  z.object({
    /** What the cap is on: an activity, a campaign, an agent, the tenant, or the free plans together. */
    scope: z.string(),
    id: z.string(),
    /** Percent of the cap that is used. */
    level: z.union([z.literal(80), z.literal(100)]),
    capUsd: z.number().optional(),
    spentUsd: z.number().optional(),
    message: z.string(),
  }),
  { audiences: ['tenant'], webhook: true },
)
