import { appStream } from '../../domain/insight/events/schemas.ts'
import { watchFromApp } from '../../domain/insight/events/stream.ts'
import { eventStream } from '../../gateway/stream.ts'
import { team } from './access.ts'

export const stream = eventStream({
  id: 'mobile.events.stream',
  route: 'GET /events/stream',
  summary: 'Everything that happens at the tenant, live, each with where the app opens on it',
  access: team,
  events: appStream,
  open: (ctx, _input, channel) => watchFromApp(ctx, channel),
})
