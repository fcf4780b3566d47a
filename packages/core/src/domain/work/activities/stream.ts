import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type EventOf, followEvents, readEvents } from '../../../kernel/events.ts'
import { toolCalled, toolReturned } from '../runs/events.ts'
import { activityTopic, onText, type TextDelta } from '../runs/text/delta.ts'
import { activityCompleted, activityFailed, activityReassigned } from './events.ts'
import { isClosed } from './state.ts'
import { type Attempt, lastAttempt, type Watchable, watchable } from './stream-queries.ts'

/** What a watcher of one activity is told; `id` lets it resume. */
export type ActivityNews = { id: string } & (
  | { event: 'text_delta'; data: { delta: string; activityId: string; runId: string; attempt: number } }
  | { event: 'tool_call'; data: { name: string; input: unknown; activityId: string } }
  | { event: 'tool_result'; data: { name: string; output: unknown; activityId: string } }
  | { event: 'completed'; data: { activityId: string; status: 'done' } }
  | { event: 'error'; data: { activityId: string; error: string } }
)

export interface Watcher {
  readonly lastEventId: string | undefined
  send(news: ActivityNews): boolean
  close(): void
  onClose(fn: () => void): void
}

const toolEvents = [toolCalled, toolReturned] as const
const endEvents = [activityCompleted, activityFailed, activityReassigned] as const
type ActivityEvent = EventOf<(typeof toolEvents | typeof endEvents)[number]>

/**
 * Streams one activity: the text of its run from its start, tool calls, and its end, after which the stream closes. An
 * activity that has ended already says so at once. A watcher that comes back with `Last-Event-ID` goes on where it was.
 * Serves `GET …/activities/:activityId/stream`.
 * @throws DomainError `NOT_FOUND`
 */
export async function watchActivity(ctx: Ctx, activityId: string, watcher: Watcher): Promise<void> {
  const { events, broadcast, deltas } = ctx.services
  const seen = readPlace(watcher.lastEventId)
  const last = events.last()
  const tell = createTeller(activityId, watcher, seen ?? { seq: last, text: undefined })
  // It listens before it looks, so that nothing falls in between; what comes while the past is read waits for it.
  let held: TextDelta[] | undefined = []
  watcher.onClose(
    onText(broadcast, activityTopic(activityId), (delta) => {
      if (held) held.push(delta)
      else tell.text(delta)
    }),
  )
  const found = await watchable(ctx, activityId)
  if (!found) throw notFound('activity')
  const { tenantId } = found
  for (const past of await pastTexts(ctx, activityId, found, seen))
    tell.text({ ...past, activityId, tenantId, position: 0, text: await deltas.textOf(past) })
  for (const delta of held) tell.text(delta)
  held = undefined
  const about = { tenants: [tenantId], subject: activityId }
  if (isClosed(found)) {
    const missed = seen ? await readEvents(events, toolEvents, about, { after: seen.seq, limit: 1_000 }) : []
    for (const event of missed) tell.event(event)
    return tell.end(last, found)
  }
  const stop = await followEvents(events, [...toolEvents, ...endEvents], about, seen?.seq ?? last, {
    // An end from before the look was followed by a retry.
    event: (event) => {
      if (event.seq > last || event.type === 'tool_call' || event.type === 'tool_result') tell.event(event)
    },
    resync: () => undefined,
  })
  watcher.onClose(stop)
}

/** The attempts whose text is shown first: the one that the watcher has seen a part of, and the one in progress. */
async function pastTexts(
  ctx: Ctx,
  activityId: string,
  { run }: Watchable,
  seen: StreamCursor | undefined,
): Promise<Attempt[]> {
  const before = seen?.text && (await lastAttempt(ctx, activityId, seen.text.runId))
  const known = before && before.runId !== run?.runId ? [before] : []
  return run ? [...known, run] : known
}

/** Tells a watcher what is new to it, and under which id it can go on from there. */
function createTeller(activityId: string, watcher: Watcher, start: StreamCursor) {
  let { seq, text } = start
  const id = () => writePlace({ seq, text })
  const close = (news: ActivityNews) => {
    watcher.send(news)
    watcher.close()
  }
  return {
    text({ runId, attempt, position, text: whole }: TextDelta): void {
      // What an older attempt still writes is no part of what is shown now.
      if (text && (runId < text.runId || (runId === text.runId && attempt < text.attempt))) return
      const shown = text?.runId === runId && text.attempt === attempt ? text.length : 0
      const delta = whole.slice(Math.max(0, shown - position))
      if (delta === '') return
      text = { runId, attempt, length: position + whole.length }
      watcher.send({ event: 'text_delta', data: { delta, activityId, runId, attempt }, id: id() })
    },
    event({ type, data, ...event }: ActivityEvent): void {
      seq = event.seq
      if (type === 'tool_call') watcher.send({ event: type, data, id: id() })
      else if (type === 'tool_result') watcher.send({ event: type, data, id: id() })
      else if (type === 'activity_completed')
        close({ event: 'completed', data: { activityId, status: 'done' }, id: id() })
      else {
        const error = type === 'activity_failed' ? (data.error ?? 'failed') : 'reassigned'
        close({ event: 'error', data: { activityId, error }, id: id() })
      }
    },
    /** The end of an activity that is closed already. */
    end(at: number, { status, failureReason }: Watchable): void {
      seq = Math.max(seq, at)
      if (status === 'done') close({ event: 'completed', data: { activityId, status }, id: id() })
      else close({ event: 'error', data: { activityId, error: failureReason ?? status }, id: id() })
    },
  }
}

/** How far a watcher has been told: the number of the last event, and how much of which text. */
export interface StreamCursor {
  seq: number
  text: { runId: string; attempt: number; length: number } | undefined
}

/** The place as the `id` of a message, such as `42` or `42:01J….1.310`. */
export function writePlace({ seq, text }: StreamCursor): string {
  return text ? `${seq}:${text.runId}.${text.attempt}.${text.length}` : String(seq)
}

const form = /^(\d{1,15})(?::([0-7][0-9A-HJKMNP-TV-Z]{25})\.(\d{1,9})\.(\d{1,9}))?$/

/** @returns undefined for what was never an id of ours */
export function readPlace(id: string | undefined): StreamCursor | undefined {
  const [, seq, runId, attempt, length] = form.exec(id ?? '') ?? []
  if (seq === undefined) return undefined
  return {
    seq: Number(seq),
    text: runId ? { runId, attempt: Number(attempt), length: Number(length) } : undefined,
  }
}
