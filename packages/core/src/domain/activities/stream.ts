import type { StoredEvent } from '../../platform/events/events.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { activityTopic, type TextDelta } from '../runs/deltas.ts'
import { watchable } from './stream-queries.ts'

/** What a watcher of one activity is told; `id` lets it resume. */
export type ActivityNews =
  | {
      event: 'text_delta'
      data: { delta: string; activityId: string; runId: string; attempt: number }
      id?: string
    }
  | { event: 'tool_call'; data: { name: string; input: unknown; activityId: string }; id: string }
  | { event: 'tool_result'; data: { name: string; output: unknown; activityId: string }; id: string }
  | { event: 'completed'; data: { activityId: string; status: 'done' }; id: string }
  | { event: 'error'; data: { activityId: string; error: string }; id: string }

export interface Watcher {
  readonly lastEventId: string | undefined
  send(news: ActivityNews): boolean
  close(): void
  onClose(fn: () => void): void
}

const types = [
  'tool_call',
  'tool_result',
  'activity_completed',
  'activity_failed',
  'activity_cancelled',
  'activity_reassigned',
]

/**
 * Streams one activity: the text of its run from its start, tool calls, and its end, after which the stream closes. An
 * activity that has ended already says so at once. Serves `GET …/activities/:activityId/stream`.
 * @throws DomainError `NOT_FOUND`
 */
export async function watchActivity(ctx: Ctx, activityId: string, watcher: Watcher): Promise<void> {
  const { events, broadcast, deltas } = ctx.services
  const found = await watchable(ctx, activityId)
  if (!found) throw notFound('Activity')
  const last = events.last()
  if (found.status === 'done')
    return end(watcher, { event: 'completed', data: { activityId, status: 'done' }, id: String(last) })
  if (found.status === 'failed' || found.status === 'reassigned') {
    return end(watcher, {
      event: 'error',
      data: { activityId, error: found.failureReason ?? found.status },
      id: String(last),
    })
  }
  // Text that comes while the past is read waits, so that nothing is shown twice or out of order.
  let held: TextDelta[] | undefined = []
  let shown = 0
  const show = (delta: TextDelta) => {
    if (delta.position === 0) shown = 0
    const fresh = delta.text.slice(Math.max(0, shown - delta.position))
    if (fresh === '') return
    shown = delta.position + delta.text.length
    watcher.send({
      event: 'text_delta',
      data: { delta: fresh, activityId, runId: delta.runId, attempt: delta.attempt },
    })
  }
  watcher.onClose(
    broadcast.subscribe(activityTopic(activityId), (message) => {
      if (held) held.push(message as TextDelta)
      else show(message as TextDelta)
    }),
  )
  if (found.run) {
    const { id: runId, attempt } = found.run
    show({
      runId,
      attempt,
      activityId,
      tenantId: found.tenantId,
      position: 0,
      text: await deltas.textOf({ runId, attempt }),
    })
  }
  for (const delta of held) show(delta)
  held = undefined
  const after =
    watcher.lastEventId && /^\d+$/.test(watcher.lastEventId) ? Number(watcher.lastEventId) : undefined
  const stop = await events.follow({ tenants: [found.tenantId], types, subject: activityId }, after ?? last, {
    event: (event) => tell(watcher, event),
    resync: () => undefined,
  })
  watcher.onClose(stop)
}

function tell(watcher: Watcher, { seq, type, subject, data }: StoredEvent): void {
  const id = String(seq)
  if (type === 'tool_call') watcher.send({ event: 'tool_call', data: data as never, id })
  else if (type === 'tool_result') watcher.send({ event: 'tool_result', data: data as never, id })
  else if (type === 'activity_completed')
    end(watcher, { event: 'completed', data: { activityId: subject, status: 'done' }, id })
  else
    end(watcher, {
      event: 'error',
      data: {
        activityId: subject,
        error: (data['error'] as string | undefined) ?? type.replace('activity_', ''),
      },
      id,
    })
}

function end(watcher: Watcher, news: ActivityNews): void {
  watcher.send(news)
  watcher.close()
}
