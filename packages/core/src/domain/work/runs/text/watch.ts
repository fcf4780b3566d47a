import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { followEvents } from '../../../../kernel/events.ts'
import { requireOwnRun } from '../lifecycle/authorize-run.ts'
import { endEvents } from '../lifecycle/end.ts'
import { activityTopic, onText, type TextDelta } from './delta.ts'
import { type WatchedRun, watchedRun } from './queries.ts'

/** What someone is told who follows one run; `id` lets that one resume. */
export type RunNews = { id: string } & (
  | { event: 'text_delta'; data: { delta: string; sequenceNum: number } }
  | { event: 'completed'; data: { status: 'success'; usage: { inputTokens: number; outputTokens: number } } }
  | { event: 'error'; data: { error: string } }
)

export interface RunWatcher {
  readonly lastEventId: string | undefined
  send(news: RunNews): boolean
  close(): void
  onClose(fn: () => void): void
}

/** How far a watcher has been told: so many characters of an attempt, in so many pieces. */
interface Place {
  length: number
  pieces: number
}

/** How much later than its deadline a run is looked at that has not told its end. */
const slackMs = 10_000

/**
 * Streams the text of one attempt of a run as its agent writes it, from the start or from where `Last-Event-ID` says, and
 * its end, after which the stream closes. Serves `GET /agent/v1/callback/:runId/stream`.
 * @throws DomainError `UNAUTHORIZED` for another's run and when a newer attempt has taken over; `NOT_FOUND`
 */
export async function watchRun(ctx: Ctx, runId: string, watcher: RunWatcher): Promise<void> {
  requireOwnRun(ctx, runId)
  const known = await watchedRun(ctx, runId)
  if (!known) throw notFound('run')
  const attempt = ctx.actor.attempt ?? known.attempt
  if (!isCurrent(known, attempt)) throw new DomainError('UNAUTHORIZED', takenOver)
  const { events, broadcast, deltas } = ctx.services
  const last = events.last()
  const tell = createTeller(watcher, attempt)
  const whole = async () => tell.text({ position: 0, text: await deltas.textOf({ runId, attempt }) })
  let held: TextDelta[] | undefined = []
  watcher.onClose(
    onText(broadcast, activityTopic(known.activityId), (delta) => {
      if (delta.runId !== runId || delta.attempt !== attempt) return
      if (held) held.push(delta)
      else tell.text(delta)
    }),
  )
  await whole()
  for (const delta of held) tell.text(delta)
  held = undefined
  /** Ends the stream if there is nothing more to come. @returns when to look again */
  const look = async (): Promise<Date | null | undefined> => {
    const run = await watchedRun(ctx, runId)
    if (run && run.open && isCurrent(run, attempt)) return run.deadline
    // What was written last may have been stored after it was looked at.
    await whole()
    tell.end(run && isCurrent(run, attempt) ? run : undefined)
    return undefined
  }
  const lookAt = (deadline: Date | null) => {
    const wait = Math.max((deadline?.getTime() ?? 0) - ctx.clock.now(), 0) + slackMs
    const cancel = ctx.clock.after(wait, () => {
      look()
        .then((next) => next !== undefined && lookAt(next))
        .catch((error: unknown) => ctx.log.error('a run could not be looked at', { runId, error }))
    })
    watcher.onClose(cancel)
  }
  const deadline = await look()
  if (deadline === undefined) return
  lookAt(deadline)
  const about = { tenants: [known.tenantId], subject: runId }
  const stop = await followEvents(events, endEvents, about, last, {
    event: () => void look().catch(() => watcher.close()),
    resync: () => undefined,
  })
  watcher.onClose(stop)
}

/** True when no newer attempt has taken the run over. */
const isCurrent = ({ fence, attempt: newest }: WatchedRun, attempt: number) =>
  fence < attempt && attempt <= newest

const takenOver = 'A newer attempt of this run has taken over'

function createTeller(watcher: RunWatcher, attempt: number) {
  const place: Place = readPlace(watcher.lastEventId, attempt) ?? { length: 0, pieces: 0 }
  const id = () => `${attempt}.${place.length}.${place.pieces}`
  let ended = false
  return {
    text({ position, text }: Pick<TextDelta, 'position' | 'text'>): void {
      const delta = text.slice(Math.max(0, place.length - position))
      if (delta === '' || ended) return
      const sequenceNum = place.pieces
      place.length = position + text.length
      place.pieces += 1
      watcher.send({ event: 'text_delta', data: { delta, sequenceNum }, id: id() })
    },
    /** @param run undefined when it is another's by now */
    end(run: WatchedRun | undefined): void {
      if (ended) return
      ended = true
      if (run?.status === 'completed') {
        const { inputTokens, outputTokens } = run
        const data = { status: 'success' as const, usage: { inputTokens, outputTokens } }
        watcher.send({ event: 'completed', data, id: id() })
      } else {
        const error = run ? (run.error ?? run.status) : takenOver
        watcher.send({ event: 'error', data: { error }, id: id() })
      }
      watcher.close()
    },
  }
}

const form = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/

/** @returns undefined for what was never an id of this attempt's stream */
function readPlace(id: string | undefined, attempt: number): Place | undefined {
  const [, of, length, pieces] = form.exec(id ?? '') ?? []
  if (of === undefined || Number(of) !== attempt) return undefined
  return { length: Number(length), pieces: Number(pieces) }
}
