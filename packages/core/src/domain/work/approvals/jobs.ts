import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Warns before a pending approval expires, and expires it. `expiresAt` in ISO 8601 tells its clock from one that was restarted. */
export const approvalClockJob = defineJob(
  'approval.clock',
  z.object({ approvalId: z.string(), expiresAt: z.string() }),
)

/** Reminds of an approval that is due, or raises its risk when it is overdue. Instants in ISO 8601. */
export const approvalDueJob = defineJob(
  'approval.due',
  z.object({
    approvalId: z.string(),
    dueAt: z.string(),
    escalateAt: z.string(),
    what: z.enum(['due', 'overdue']),
  }),
)
