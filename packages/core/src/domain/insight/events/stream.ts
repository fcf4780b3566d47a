import type { Ctx } from '../../../kernel/context.ts'
import { followEvents } from '../../../kernel/events.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import {
  eventMessage,
  lastSeen,
  type StreamMessage,
  type StreamWatcher,
  withData,
} from '../../../kernel/streams.ts'
import type { SubjectKind } from '../../people/notifications/entities.ts'
import { deepLink } from '../../people/notifications/inbox-queries.ts'
import { tenantEvents } from '../../work/events.ts'
import { onText, tenantTopic } from '../../work/runs/text/delta.ts'
import type { appStream, tenantStream } from './schemas.ts'

/**
 * Streams everything that happens at one tenant, and the text of its agents as it is written. Resumes after
 * `Last-Event-ID`; text is live only. Serves `GET /dashboard/v1/events/stream`.
 */
export async function watchTenant(ctx: Ctx, watcher: StreamWatcher<typeof tenantStream>): Promise<void> {
  const { events, broadcast } = ctx.services
  const tenantId = oneTenant(ctx)
  const stop = await followEvents(events, tenantEvents, { tenants: [tenantId] }, lastSeen(watcher), {
    begin: (seq) => watcher.place(String(seq)),
    event: (event) => watcher.send(eventMessage(event)),
    resync: () => watcher.send({ event: 'resync', data: {} }),
  })
  watcher.onClose(stop)
  watcher.onClose(
    onText(broadcast, tenantTopic(tenantId), ({ text, activityId, runId, attempt }) =>
      watcher.send({ event: 'text_delta', data: { delta: text, activityId, runId, attempt } }),
    ),
  )
}

/** Streams the same as the web app gets, each message with where the app opens on it. Serves `GET /mobile/v1/events/stream`. */
export function watchFromApp(ctx: Ctx, watcher: StreamWatcher<typeof appStream>): Promise<void> {
  return watchTenant(ctx, {
    lastEventId: watcher.lastEventId,
    place: (id) => watcher.place(id),
    onClose: (fn) => watcher.onClose(fn),
    send: (message) => watcher.send(withData(message, { deepLink: deepLink(ctx, subjectOf(message.data)) })),
  })
}

/** What the caps of a budget stand on. */
const scopes: Readonly<Record<string, SubjectKind>> = { activity: 'activities', campaign: 'campaigns' }

type TenantData = StreamMessage<typeof tenantStream>['data']

/** What an event is about; what an activity waits for is opened rather than the activity. */
function subjectOf(data: TenantData): { kind: SubjectKind; id: string } | undefined {
  if ('approvalId' in data) return { kind: 'approvals', id: data.approvalId }
  if ('activityId' in data) return { kind: 'activities', id: data.activityId }
  if ('campaignId' in data) return { kind: 'campaigns', id: data.campaignId }
  const kind = 'scope' in data ? scopes[data.scope] : undefined
  return kind && 'id' in data ? { kind, id: data.id } : undefined
}
