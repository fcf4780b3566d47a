import { tenantStream } from '../../domain/insight/events/schemas.ts'
import { watchTenant } from '../../domain/insight/events/stream.ts'
import { eventStream } from '../../gateway/stream.ts'
import { team } from './access.ts'

export const stream = eventStream({
  id: 'dashboard.events.stream',
  route: 'GET /events/stream',
  summary: 'Everything that happens at the tenant, live, resumable by Last-Event-ID',
  access: team,
  events: tenantStream,
  open: (ctx, _input, channel) => watchTenant(ctx, channel),
})
