import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const agentError = defineEvent(
  'agent_error',
  z.object({
    tenantId: z.string(),
    agentRole: z.string(),
    error: z.string(),
    activityId: z.string().nullable(),
  }),
  { audiences: ['reviewers'] },
)
