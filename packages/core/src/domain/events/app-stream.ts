import type { Ctx } from '../context.ts'
import { deepLink } from '../notifications/deep-link.ts'
import type { SubjectKind } from '../notifications/entities.ts'
import { type TenantWatcher, watchTenant } from './stream.ts'

/** Streams the same as the web app gets, each message with where the app opens on it. Serves `GET /mobile/v1/events/stream`. */
export function watchFromApp(ctx: Ctx, watcher: TenantWatcher): Promise<void> {
  return watchTenant(ctx, {
    lastEventId: watcher.lastEventId,
    place: (id) => watcher.place(id),
    onClose: (fn) => watcher.onClose(fn),
    send: ({ data, ...message }) => {
      const told = data as Record<string, unknown>
      return watcher.send({
        ...message,
        data: { ...told, deepLink: deepLink(ctx, subjectOf(told)) } as never,
      })
    },
  })
}

/** What names a subject in the data of an event; what an activity waits for is opened rather than the activity. */
const names: readonly (readonly [string, SubjectKind])[] = [
  ['approvalId', 'approvals'],
  ['activityId', 'activities'],
  ['campaignId', 'campaigns'],
]

/** What the caps of a budget stand on. */
const scopes: Readonly<Record<string, SubjectKind>> = { activity: 'activities', campaign: 'campaigns' }

function subjectOf(data: Record<string, unknown>): { kind: SubjectKind; id: string } | undefined {
  for (const [name, kind] of names) {
    const id = data[name]
    if (typeof id === 'string') return { kind, id }
  }
  const kind = scopes[String(data['scope'])]
  return kind && { kind, id: String(data['id']) }
}
