import { z } from 'zod'
import { watchTenant } from '../../domain/events/stream.ts'
import { stream } from '../../gateway/stream.ts'
import { team } from './access.ts'

const about = z.looseObject({})
const activity = z.looseObject({ activityId: z.string() })
const approval = z.looseObject({ approvalId: z.string() })

export const live = stream({
  id: 'dashboard.events.stream',
  route: 'GET /events/stream',
  summary: 'Everything that happens at the tenant, live, resumable by Last-Event-ID',
  access: team,
  events: {
    text_delta: z.object({ delta: z.string(), activityId: z.string(), runId: z.string(), attempt: z.int() }),
    activity_started: activity,
    activity_completed: activity,
    activity_failed: activity,
    activity_blocked: activity,
    approval_created: approval,
    approval_resolved: approval,
    approval_expiring: approval,
    approval_expired: approval,
    campaign_update: about,
    budget_alert: about,
    resync: about,
  },
  open: (ctx, _input, channel) => watchTenant(ctx, channel as never),
})
