import { z } from 'zod'
import { watchFromApp } from '../../domain/insight/events/stream.ts'
import { tenantEvents } from '../../domain/work/events.ts'
import { eventStream } from '../../gateway/stream.ts'
import { dataByType } from '../../kernel/events.ts'
import { team } from './access.ts'

const deepLink = { deepLink: z.string() }

export const stream = eventStream({
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
      ...deepLink,
    }),
    ...dataByType(tenantEvents, deepLink),
    resync: z.object(deepLink),
  },
  open: (ctx, _input, channel) => watchFromApp(ctx, channel as never),
})
