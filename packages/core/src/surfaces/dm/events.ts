import { z } from 'zod'
import { watchReviewed } from '../../domain/events/review-stream.ts'
import { stream } from '../../gateway/stream.ts'
import { reviewers } from './access.ts'

const ofTenant = { tenantId: z.string(), tenantName: z.string() }

export const live = stream({
  id: 'dm.events.stream',
  route: 'GET /events/stream',
  summary: 'What reviewers have to look at, of all assigned tenants, live, resumable by Last-Event-ID',
  access: reviewers,
  query: z.object({ tenantId: z.string().optional() }),
  events: {
    approval_created: z.object({
      approvalId: z.string(),
      ...ofTenant,
      riskLevel: z.string(),
      type: z.string(),
      title: z.string(),
    }),
    approval_expiring: z.object({ approvalId: z.string(), ...ofTenant, hoursLeft: z.number() }),
    agent_error: z.object({
      ...ofTenant,
      agentRole: z.string(),
      error: z.string(),
      activityId: z.string().nullable(),
    }),
    activity_blocked: z.object({ activityId: z.string(), ...ofTenant, blockerType: z.string() }),
    resync: z.object({}),
  },
  open: (ctx, _input, channel) => watchReviewed(ctx, channel as never),
})
