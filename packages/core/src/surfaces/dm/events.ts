import { z } from 'zod'
import { reviewKindNames, watchReviewed } from '../../domain/insight/events/review-stream.ts'
import { eventStream } from '../../gateway/stream.ts'
import { isoDate, queryChoices } from '../../platform/wire.ts'
import { reviewers } from './access.ts'

/** The tenant, and the time of the event. */
const happened = { tenantId: z.string(), tenantName: z.string(), at: isoDate }

const run = z.object({
  runId: z.string(),
  activityId: z.string(),
  title: z.string(),
  agentRole: z.string(),
  attempt: z.int(),
  ...happened,
})

export const stream = eventStream({
  id: 'dm.events.stream',
  route: 'GET /events/stream',
  summary: 'What happens at all assigned tenants, live, resumable by Last-Event-ID',
  description:
    'Questions (`approval_created`, `approval_expiring`), runs (`activity_started`, `run_completed`, `run_failed`), verdicts of others (`approval_resolved`), deliveries (`activity_completed`, `report_delivered`) and blockers (`activity_blocked`, `agent_error`). `filter.kind` names some of these: `questions`, `runs`, `verdicts`, `deliveries`, `blockers`. Further events may come: pass over those that you do not know.',
  access: reviewers,
  query: z.object({
    tenantId: z.string().optional(),
    'filter.kind': queryChoices(reviewKindNames).optional(),
  }),
  events: {
    approval_created: z.object({
      approvalId: z.string(),
      ...happened,
      riskLevel: z.string(),
      type: z.string(),
      title: z.string(),
    }),
    approval_expiring: z.object({
      approvalId: z.string(),
      ...happened,
      hoursLeft: z.number(),
      title: z.string().optional(),
    }),
    activity_started: run,
    run_completed: run,
    /** One attempt; a retried run starts again. */
    run_failed: run.extend({ error: z.string().optional() }),
    approval_resolved: z.object({
      approvalId: z.string(),
      ...happened,
      type: z.string(),
      title: z.string(),
      resolution: z.string(),
      note: z.string().nullable(),
      resolvedBy: z.object({ id: z.string(), name: z.string() }),
    }),
    activity_completed: z.object({ activityId: z.string(), ...happened, title: z.string() }),
    report_delivered: z.object({
      reportId: z.string(),
      ...happened,
      title: z.string(),
      deliveredBy: z.string(),
    }),
    agent_error: z.object({
      ...happened,
      agentRole: z.string(),
      error: z.string(),
      activityId: z.string().nullable(),
    }),
    activity_blocked: z.object({
      activityId: z.string(),
      ...happened,
      blockerType: z.string(),
      title: z.string().optional(),
      agentRole: z.string().nullish(),
      /** Set while the activity is blocked by it. */
      reason: z.string().optional(),
    }),
    resync: z.object({}),
  },
  open: (ctx, { query }, channel) => watchReviewed(ctx, channel as never, query['filter.kind']),
})
