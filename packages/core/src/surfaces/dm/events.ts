import { z } from 'zod'
import { reviewKindNames, watchReviewed } from '../../domain/insight/events/review-stream.ts'
import { reviewerStream } from '../../domain/insight/events/schemas.ts'
import { eventStream } from '../../gateway/stream.ts'
import { queryChoices } from '../../platform/wire.ts'
import { reviewers } from './access.ts'

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
  events: reviewerStream,
  open: (ctx, { query }, channel) => watchReviewed(ctx, channel, query['filter.kind']),
})
