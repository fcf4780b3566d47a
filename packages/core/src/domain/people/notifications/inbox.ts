import type { Ctx } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { followEvents } from '../../../kernel/events.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { lastSeen, type StreamWatcher } from '../../../kernel/streams.ts'
import { transact } from '../../../kernel/transact.ts'
import { notificationAdded } from './events.ts'
import { notificationsById, setRead } from './inbox-queries.ts'
import type { inboxStream, ReadMark, ReadReceipt } from './schemas.ts'

/**
 * Marks the caller's notifications as read: those that are named, or all. Serves `PATCH …/notifications/read`.
 * @throws DomainError `VALIDATION_ERROR` when neither is meant
 */
export function markRead(ctx: Ctx, { ids, markAll }: ReadMark): Promise<ReadReceipt> {
  if (ids === undefined && markAll === false) throw invalid('ids', 'Name the notifications, or mark all')
  return transact(ctx, async (txn) => ({ marked: await setRead(txn, markAll ? undefined : ids) }))
}

/**
 * Streams the caller's own notifications as they come; what has been removed meanwhile is passed over. Resumes after
 * `Last-Event-ID`. Serves `GET /tenant/v1/notifications/stream`.
 */
export async function watchInbox(ctx: Ctx, watcher: StreamWatcher<typeof inboxStream>): Promise<void> {
  const { events } = ctx.services
  const about = { tenants: [oneTenant(ctx)], subject: ctx.actor.id }
  let told: Promise<unknown> = Promise.resolve()
  let isOpen = true
  watcher.onClose(() => (isOpen = false))
  // One is read after the other, so that they leave in their order.
  const next = (work: () => unknown) => {
    told = told
      .then(work)
      .catch((error: unknown) => ctx.log.error('a notification could not be told', { error }))
    return told
  }
  const stop = await followEvents(events, [notificationAdded], about, lastSeen(watcher), {
    begin: (seq) => watcher.place(String(seq)),
    event: ({ seq, data }) =>
      next(async () => {
        const [item] = isOpen ? await notificationsById(ctx, [data.notificationId]) : []
        return item ? watcher.send({ event: 'notification', data: item, id: String(seq) }) : isOpen
      }),
    resync: () => void next(() => watcher.send({ event: 'resync', data: {} })),
  })
  watcher.onClose(stop)
}
