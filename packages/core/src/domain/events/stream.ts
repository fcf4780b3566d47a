import type { Ctx } from '../context.ts'
import { oneTenant } from '../scope.ts'
import { tenantTopic, type TextDelta } from '../runs/delta.ts'

/** Platform events that the people of a tenant are told of. */
export const tenantEvents = [
  'activity_started',
  'activity_completed',
  'activity_failed',
  'activity_blocked',
  'approval_created',
  'approval_resolved',
  'approval_expiring',
  'approval_expired',
  'campaign_update',
  'budget_alert',
] as const
export type TenantEvent = (typeof tenantEvents)[number]

export interface TenantWatcher {
  readonly lastEventId: string | undefined
  send(message: { event: TenantEvent | 'text_delta' | 'resync'; data: never; id?: string }): boolean
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
  const stop = await ctx.services.events.follow({ tenants: [tenantId], types: tenantEvents }, after, {
    begin: (seq) => watcher.place(String(seq)),
    event: ({ seq, type, data }) =>
      watcher.send({ event: type as TenantEvent, data: data as never, id: String(seq) }),
    resync: () => watcher.send({ event: 'resync', data: {} as never }),
  })
  watcher.onClose(stop)
  watcher.onClose(
    ctx.services.broadcast.subscribe(tenantTopic(tenantId), (message) => {
      const { text, activityId, runId, attempt } = message as TextDelta
      watcher.send({ event: 'text_delta', data: { delta: text, activityId, runId, attempt } as never })
    }),
  )
}
