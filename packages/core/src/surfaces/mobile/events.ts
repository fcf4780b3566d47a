import { z } from 'zod'
import { watchFromApp } from '../../domain/events/app-stream.ts'
import { stream } from '../../gateway/stream.ts'
import { team } from './access.ts'

const about = z.looseObject({ deepLink: z.string() })
const activity = about.extend({ activityId: z.string() })
const approval = about.extend({ approvalId: z.string() })

export const live = stream({
  id: 'mobile.events.stream',
  route: 'GET /events/stream',
  summary: 'Everything that happens at the tenant, live, each with where the app opens on it',
  access: team,
  events: {
    text_delta: z.object({
      delta: z.string(),
      activityId: z.string(),
      runId: z.string(),
      attempt: z.int(),
      deepLink: z.string(),
    }),
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
  open: (ctx, _input, channel) => watchFromApp(ctx, channel as never),
})
