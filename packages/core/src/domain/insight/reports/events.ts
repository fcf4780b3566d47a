import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const reportDelivered = defineEvent(
  'report_delivered',
  z.object({ reportId: z.string(), title: z.string(), deliveredBy: z.string() }),
  { audiences: ['reviewers'] },
)
