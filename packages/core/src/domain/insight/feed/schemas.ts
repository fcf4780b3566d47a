import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { riskLevels } from '../../work/approvals/entities.ts'

export const feedKinds = ['approval', 'blocked', 'failed', 'budget', 'mention', 'campaign'] as const
export type FeedKind = (typeof feedKinds)[number]

export const feedActions = [
  'resolve',
  'retry',
  'comment',
  'change_budget',
  'change_status',
  'snooze',
  'dismiss',
] as const
export type FeedAction = (typeof feedActions)[number]

export const FeedItem = z.object({
  id: ulid,
  kind: z.enum(feedKinds),
  /** 1 is the most urgent; within a rank the nearest deadline comes first, without one the oldest. */
  rank: z.int().min(1),
  title: z.string(),
  reason: z.string(),
  since: isoDate,
  deadline: isoDate.optional(),
  riskLevel: z.enum(riskLevels).optional(),
  subject: z.object({ kind: z.enum(['approval', 'activity', 'campaign', 'tenant']), id: ulid }),
  actions: z.array(z.enum(feedActions)),
})
export const ReviewerFeedItem = FeedItem.extend({ tenantId: ulid, tenantName: z.string() })
export type ReviewerFeedItem = z.output<typeof ReviewerFeedItem>

export const FeedPage = page(FeedItem)
export const ReviewerFeedPage = page(ReviewerFeedItem)

/** One order only: what needs someone most comes first. */
export const FeedQuery = pageQuery
  .omit({ order: true })
  .extend({ 'filter.kind': z.enum(feedKinds).optional() })
export type FeedQuery = z.output<typeof FeedQuery>
export const ReviewerFeedQuery = FeedQuery.extend({ tenantId: ulid.optional() })

export const Snooze = z.object({ until: isoDate })

export const Dismissal = z.object({
  itemId: ulid,
  /** When it is shown again at the latest; null is not before something new happens. */
  hiddenUntil: isoDate.nullable(),
})
export type Dismissal = z.output<typeof Dismissal>

const counts = {
  pendingApprovals: z.int(),
  highRiskApprovals: z.int(),
  activitiesInProgress: z.int(),
  activitiesBlocked: z.int(),
}

export const Overview = z.object({
  tenants: z.array(
    z.object({
      tenantId: ulid,
      tenantName: z.string(),
      ...counts,
      activeAgents: z.int(),
      /** Hours, to one decimal; null when none waits. */
      oldestPendingApprovalAgeH: z.number().nullable(),
    }),
  ),
  totals: z.object({ ...counts, agentsInError: z.int() }),
})
export type Overview = z.output<typeof Overview>

export const OverviewQuery = z.object({ tenantId: ulid.optional() })
