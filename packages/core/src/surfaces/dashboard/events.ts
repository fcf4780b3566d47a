import { z } from 'zod'
import { watchTenant } from '../../domain/insight/events/stream.ts'
import { tenantEvents } from '../../domain/work/events.ts'
import { eventStream } from '../../gateway/stream.ts'
import { dataByType } from '../../kernel/events.ts'
import { team } from './access.ts'

export const stream = eventStream({
  id: 'dashboard.events.stream',
  route: 'GET /events/stream',
  summary: 'Everything that happens at the tenant, live, resumable by Last-Event-ID',
  access: team,
  events: {
    text_delta: z.object({ delta: z.string(), activityId: z.string(), runId: z.string(), attempt: z.int() }),
    ...dataByType(tenantEvents, {}),
    resync: z.object({}),
  },
  open: (ctx, _input, channel) => watchTenant(ctx, channel as never),
})
