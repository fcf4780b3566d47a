import type { Ctx } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { notificationAdded } from './events.ts'
import { notificationsById, setRead } from './inbox-queries.ts'
import type { ReadMark, ReadReceipt } from './schemas.ts'

/**
 * Marks the caller's notifications as read: those that are named, or all. Serves `PATCH …/notifications/read`.
 * @throws DomainError `VALIDATION_ERROR` when neither is meant
 */
export function markRead(ctx: Ctx, { ids, markAll }: ReadMark): Promise<ReadReceipt> {
  if (ids === undefined && markAll === false) throw invalid('ids', 'Name the notifications, or mark all')
  return transact(ctx, async (txn) => ({ marked: await setRead(txn, markAll ? undefined : ids) }))
}

export interface InboxWatcher {
  readonly lastEventId: string | undefined
  send(message: { event: 'notification' | 'resync'; data: never; id?: string }): boolean
  place(id: string): boolean
  onClose(fn: () => void): void
}

/**
 * Streams the caller's own notifications as they come; what has been removed meanwhile is passed over. Resumes after
 * `Last-Event-ID`. Serves `GET /tenant/v1/notifications/stream`.
 */
export async function watchInbox(ctx: Ctx, watcher: InboxWatcher): Promise<void> {
  const { lastEventId } = watcher
  const after = lastEventId && /^\d+$/.test(lastEventId) ? Number(lastEventId) : undefined
  const about = { tenants: [oneTenant(ctx)], types: [notificationAdded.type], subject: ctx.actor.id }
  let told: Promise<void> = Promise.resolve()
  // One is read after the other, so that they leave in their order.
  const next = (work: () => Promise<void> | void) => {
    told = told
      .then(work)
      .catch((error: unknown) => ctx.log.error('a notification could not be told', { error }))
  }
  const stop = await ctx.services.events.follow(about, after, {
    begin: (seq) => watcher.place(String(seq)),
    event: ({ seq, data }) =>
      next(async () => {
        const [item] = await notificationsById(ctx, [String(data['notificationId'])])
        if (item) watcher.send({ event: 'notification', data: item as never, id: String(seq) })
      }),
    resync: () => next(() => void watcher.send({ event: 'resync', data: {} as never })),
  })
  watcher.onClose(stop)
}
