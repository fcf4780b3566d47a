import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { followEvents } from '../../../kernel/events.ts'
import { toUsd } from '../../../kernel/money.ts'
import { wordCountOf } from '../content/blog/markdown.ts'
import { endEvents } from '../runs/lifecycle/end.ts'
import { newestText, playText, seenOf } from './kept-text.ts'
import { type Replayable, replayable } from './replay-queries.ts'
import { type ActivityNews, readPlace, type StreamCursor, watchActivity, writePlace } from './stream.ts'
import { lastAttempt } from './stream-queries.ts'

/** What a reader of one activity is told; `id` lets it resume. */
export type ReplayNews =
  | { event: 'activity_meta'; data: ReplayMeta }
  | { event: 'text_delta'; data: { delta: string }; id: string }
  | { event: 'activity_completed'; data: ReplayEnd; id: string }

interface ReplayMeta {
  activityId: string
  title: string
  agentRole: string | null
  status: string
  /** How many characters of the text the reader has; 0 where a text begins, which takes the place of any before it. */
  position: number
}

interface ReplayEnd {
  activityId: string
  status: string
  wordCount: number
  cost: number
  durationMs: number
}

export interface Reader {
  readonly lastEventId: string | undefined
  readonly closed: boolean
  send(news: ReplayNews): boolean
  close(): void
  onClose(fn: () => void): void
}

/**
 * Streams the text of one activity to someone who reads along. While a run is open the text of it is told so far at once,
 * and then as it is written, until nothing is written any more; else, as when it waits for a verdict, stands still or has
 * ended, its newest text is told at the pace of a reader. The last message says how the activity stands then, and the stream
 * closes. `activity_meta` comes first, and again wherever a text begins again. `Last-Event-ID` resumes after what was seen,
 * also when what was live is told from its stored text by then. Serves `GET /cli/v1/activities/:id/stream`.
 * @throws DomainError `NOT_FOUND`
 */
export async function replayActivity(ctx: Ctx, activityId: string, reader: Reader): Promise<void> {
  const last = ctx.services.events.last()
  const found = await replayable(ctx, activityId)
  if (!found) throw notFound('activity')
  const seen = readPlace(reader.lastEventId)
  if (found.openRunId === undefined) return replay(ctx, activityId, reader, { found, seen, last })
  return follow(ctx, activityId, reader, { found, seen, last })
}

interface Opening {
  found: Replayable
  seen: StreamCursor | undefined
  /** The number of the last event before the activity was looked at. */
  last: number
}

async function replay(ctx: Ctx, activityId: string, reader: Reader, { found, seen, last }: Opening) {
  const text = await newestText(ctx, found)
  const position = await seenOf(ctx, found, text, seen)
  const { id, attempt } = text
  const place = (length: number) => writePlace({ seq: last, text: { runId: id, attempt, length } })
  sendMeta(reader, activityId, found, position)
  const stop = playText(ctx.clock, text.text, position, {
    part: (delta, length) => reader.send({ event: 'text_delta', data: { delta }, id: place(length) }),
    end: () => void end(ctx, activityId, reader, place(text.text.length)),
  })
  reader.onClose(stop)
}

async function follow(ctx: Ctx, activityId: string, reader: Reader, { found, seen, last }: Opening) {
  // A version that was replayed is no part of what is being written.
  const text = seen?.text && (await lastAttempt(ctx, activityId, seen.text.runId)) ? seen.text : undefined
  const from = seen && { seq: seen.seq, text }
  sendMeta(reader, activityId, found, text?.length ?? 0)
  let runId = found.openRunId
  let told: StreamCursor = from ?? { seq: last, text: undefined }
  let looking = Promise.resolve()
  let looks = 0
  const tell = (delta: string, place: StreamCursor) => {
    const isNew =
      told.text && (told.text.runId !== place.text?.runId || told.text.attempt !== place.text.attempt)
    if (isNew) sendMeta(reader, activityId, found, 0)
    told = place
    reader.send({ event: 'text_delta', data: { delta }, id: writePlace(place) })
  }
  /** What was written last may have been stored only, and not told here. */
  const tellRest = async () => {
    if (!told.text) return
    const { length } = told.text
    const whole = await ctx.services.deltas.textOf(told.text)
    if (whole.length > length)
      tell(whole.slice(length), { ...told, text: { ...told.text, length: whole.length } })
  }
  const look = () => {
    looks += 1
    looking = looking
      .then(async () => {
        if (reader.closed) return
        const now = await replayable(ctx, activityId)
        runId = now?.openRunId
        if (runId !== undefined) return
        await tellRest()
        await end(ctx, activityId, reader, writePlace(told))
      })
      .catch((error: unknown) => broken(ctx, activityId, reader, error))
      .finally(() => (looks -= 1))
  }
  const send = (news: ActivityNews) => {
    const place = readPlace(news.id)
    if (news.event === 'text_delta' && place) tell(news.data.delta, place)
    else if (news.event === 'completed' || news.event === 'error') look()
    return !reader.closed
  }
  await watchActivity(ctx, activityId, {
    lastEventId: from && writePlace(from),
    send,
    // It ends with the last message, which is not at hand yet.
    close: () => undefined,
    onClose: (fn) => reader.onClose(fn),
  })
  const stop = await followEvents(ctx.services.events, endEvents, { tenants: [found.tenantId] }, last, {
    // While it is looked which run is the open one, that may be the one that has ended.
    event: ({ subject }) => {
      if (subject === runId || looks > 0) look()
    },
    resync: look,
  })
  reader.onClose(stop)
}

function sendMeta(
  reader: Reader,
  activityId: string,
  { title, agentRole, status }: Replayable,
  position: number,
): void {
  reader.send({ event: 'activity_meta', data: { activityId, title, agentRole, status, position } })
}

/** Says how the activity stands now, and closes. */
async function end(ctx: Ctx, activityId: string, reader: Reader, id: string): Promise<void> {
  try {
    const found = await replayable(ctx, activityId)
    if (found) {
      const { status, costMicros, startedAt, completedAt } = found
      const until = completedAt?.getTime() ?? ctx.clock.now()
      const data: ReplayEnd = {
        activityId,
        status,
        wordCount: wordCountOf((await newestText(ctx, found)).text),
        cost: toUsd(costMicros),
        durationMs: startedAt ? Math.max(0, until - startedAt.getTime()) : 0,
      }
      reader.send({ event: 'activity_completed', data, id })
    }
    reader.close()
  } catch (error) {
    broken(ctx, activityId, reader, error)
  }
}

/** The reader comes back and goes on where it was. */
function broken(ctx: Ctx, activityId: string, reader: Reader, error: unknown): void {
  ctx.log.error('a stream could not be ended', { activityId, error })
  reader.close()
}
