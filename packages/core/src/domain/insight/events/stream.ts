import type { Ctx } from '../../../kernel/context.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import type { SubjectKind } from '../../people/notifications/entities.ts'
import { deepLink } from '../../people/notifications/inbox-queries.ts'
import { type TenantEventType, tenantEvents } from '../../work/events.ts'
import { type TextDelta, tenantTopic } from '../../work/runs/text/delta.ts'

export interface TenantWatcher {
  readonly lastEventId: string | undefined
  send(message: { event: TenantEventType | 'text_delta' | 'resync'; data: never; id?: string }): boolean
  place(id: string): boolean
  onClose(fn: () => void): void
}

/**
 * Streams everything that happens at one tenant, and the text of its agents as it is written. Resumes after
 * `Last-Event-ID`; text is live only. Serves `GET /dashboard/v1/events/stream`.
 */
export async function watchTenant(ctx: Ctx, watcher: TenantWatcher): Promise<void> {
  const tenantId = oneTenant(ctx)
  const after =
    watcher.lastEventId && /^\d+$/.test(watcher.lastEventId) ? Number(watcher.lastEventId) : undefined
  const stop = await ctx.services.events.follow(
    { tenants: [tenantId], types: tenantEvents.map(({ type }) => type) },
    after,
    {
      begin: (seq) => watcher.place(String(seq)),
      event: ({ seq, type, data }) =>
        watcher.send({ event: type as TenantEventType, data: data as never, id: String(seq) }),
      resync: () => watcher.send({ event: 'resync', data: {} as never }),
    },
  )
  watcher.onClose(stop)
  watcher.onClose(
    ctx.services.broadcast.subscribe(tenantTopic(tenantId), (message) => {
      const { text, activityId, runId, attempt } = message as TextDelta
      watcher.send({ event: 'text_delta', data: { delta: text, activityId, runId, attempt } as never })
    }),
  )
}

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
