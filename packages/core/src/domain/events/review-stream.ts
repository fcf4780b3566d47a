import type { StoredEvent } from '../../platform/events/events.ts'
import type { Ctx } from '../context.ts'
import { nameOfAssigned } from './review-queries.ts'

/** Events that reviewers are told of. */
export const reviewerEvents = [
  'approval_created',
  'approval_expiring',
  'agent_error',
  'activity_blocked',
] as const
export type ReviewerEvent = (typeof reviewerEvents)[number]

export interface ReviewerWatcher {
  readonly lastEventId: string | undefined
  send(message: { event: ReviewerEvent | 'resync'; data: never; id?: string }): boolean
  place(id: string): boolean
  onClose(fn: () => void): void
}

/**
 * Streams what reviewers have to look at, of all tenants in scope. Whether the tenant is still theirs is asked before each
 * message, so that nothing is told after an assignment has ended. Resumes after `Last-Event-ID`. Serves
 * `GET /dm/v1/events/stream`.
 */
export async function watchReviewed(ctx: Ctx, watcher: ReviewerWatcher): Promise<void> {
  const after =
    watcher.lastEventId && /^\d+$/.test(watcher.lastEventId) ? Number(watcher.lastEventId) : undefined
  // One after the other, so that they are told in their order.
  let told = Promise.resolve()
  const tell = async ({ seq, type, data, tenantId }: StoredEvent) => {
    const tenantName = tenantId === null ? undefined : await nameOfAssigned(ctx, tenantId)
    if (tenantName === undefined) return
    const whole = { ...data, tenantId, tenantName }
    watcher.send({ event: type as ReviewerEvent, data: whole as never, id: String(seq) })
  }
  const stop = await ctx.services.events.follow({ tenants: ctx.scope, types: reviewerEvents }, after, {
    begin: (seq) => watcher.place(String(seq)),
    event: (event) => {
      told = told
        .then(() => tell(event))
        .catch((error: unknown) => ctx.log.error('a reviewer could not be told', { error, seq: event.seq }))
    },
    resync: () => {
      told = told.then(() => void watcher.send({ event: 'resync', data: {} as never }))
    },
  })
  watcher.onClose(stop)
}
