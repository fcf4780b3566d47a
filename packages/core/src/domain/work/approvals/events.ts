import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const approvalCreated = defineEvent(
  'approval_created',
  z.object({
    approvalId: z.string(),
    type: z.string(),
    riskLevel: z.string(),
    title: z.string(),
    activityIds: z.array(z.string()),
  }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const approvalResolved = defineEvent(
  'approval_resolved',
  z.object({
    approvalId: z.string(),
    type: z.string(),
    status: z.string(),
    resolution: z.string().nullable(),
    /** The approval that is asked for in its place. */
    replacedBy: z.string().optional(),
  }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const approvalExpiring = defineEvent(
  'approval_expiring',
  z.object({ approvalId: z.string(), hoursLeft: z.number(), title: z.string(), riskLevel: z.string() }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

export const approvalExpired = defineEvent(
  'approval_expired',
  z.object({ approvalId: z.string(), type: z.string() }),
  { audiences: ['tenant'], webhook: true },
)

export const approvalEscalated = defineEvent(
  'approval_escalated',
  z.object({ approvalId: z.string(), riskLevel: z.string(), title: z.string() }),
)

export const approvalOverdue = defineEvent(
  'approval_overdue',
  /** `dueAt` in ISO 8601. */
  z.object({ approvalId: z.string(), dueAt: z.string().nullable(), title: z.string() }),
)
