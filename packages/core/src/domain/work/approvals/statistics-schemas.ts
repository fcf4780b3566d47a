import { z } from 'zod'
import { spanEnd, ulid } from '../../../platform/wire.ts'

export const ApprovalStats = z.object({
  pending: z.int(),
  highRisk: z.int(),
  expiringIn24h: z.int(),
  resolvedThisWeek: z.int(),
})
export type ApprovalStats = z.output<typeof ApprovalStats>

export const ReviewStatisticsQuery = z.object({
  tenantId: ulid.optional(),
  /** Days of UTC, or instants; default: the last 30 days. */
  startDate: spanEnd.optional(),
  endDate: spanEnd.optional(),
  groupBy: z.enum(['tenant', 'agent', 'reviewer']).default('tenant'),
})
export type ReviewStatisticsQuery = z.output<typeof ReviewStatisticsQuery>

const reviewNumbers = {
  /** Verdicts, and what they were. */
  resolved: z.int(),
  approved: z.int(),
  rejected: z.int(),
  revisionRequested: z.int(),
  /** Approved with edits of the reviewer's own. */
  edited: z.int(),
  /** From the question to the verdict; null without any. */
  medianWaitMs: z.int().nullable(),
  p90WaitMs: z.int().nullable(),
  /** Of the texts that had their first verdict: how many were approved as they were. */
  firstPassPct: z.number().nullable(),
  /** Of the texts that were approved: how many with edits. */
  editPct: z.number().nullable(),
}
const ReviewNumbers = z.object({ key: z.string(), label: z.string(), ...reviewNumbers })
export type ReviewNumbers = z.output<typeof ReviewNumbers>

export const ReviewStatistics = z.object({
  ...reviewNumbers,
  /** No one decided in time. */
  expired: z.int(),
  groups: z.array(ReviewNumbers),
})
export type ReviewStatistics = z.output<typeof ReviewStatistics>
