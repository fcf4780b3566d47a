import { type CallInput, createClient, type Reply, type RouteOf } from '../index.ts'
import { type Clock, pause } from './clock.ts'

export type RunRoute = Extract<RouteOf<'agent'>, `${string} /runs/:runId${string}`>
export type BodyOf<R extends RunRoute> = CallInput<'agent', R>['body']

/**
 * What a call is for. A run has 60 requests a minute for everything together: text gives way to work, and both leave room for
 * the heartbeat and the end.
 */
export type Purpose = 'text' | 'work' | 'beat' | 'end'

/** How many requests of the last minute there may be so that one more of its kind is sent. */
const share: Record<Purpose, number> = { text: 36, work: 52, beat: 56, end: 59 }
/** A little more than the minute that the server counts, whose requests arrive after they were sent. */
const windowMs = 61_000

/** How often a call is tried. The end and the text are worth it until the run is over; the next heartbeat is a new one anyway. */
const tries: Record<Purpose, number> = { text: Infinity, work: 8, beat: 1, end: Infinity }
const firstWaitMs = 1_000
const longestWaitMs = 30_000
/** How long an answer is waited for. */
const answerMs = 30_000

export interface LineOptions {
  baseUrl: string
  runId: string
  token: string
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Copydesk takes nothing more for this run under the present token. */
  onRefused(): void
}

/** The way of one run to Copydesk: typed calls within its limit, tried again while Copydesk restarts or asks to wait. */
export interface Line {
  /** The newest task token. */
  token: string
  /**
   * @param signal gives the call up
   * @throws ApiError for every answer that does not pass by waiting; what the network or `signal` says
   */
  call<const R extends RunRoute>(
    purpose: Purpose,
    route: R,
    input: { body?: BodyOf<R>; signal: AbortSignal },
  ): Promise<Reply<'agent', R>>
}

export function createLine(options: LineOptions): Line {
  const { baseUrl, runId, clock, fetch } = options
  const sent: number[] = []

  const room = async (purpose: Purpose, signal: AbortSignal) => {
    for (;;) {
      while (sent.length > 0 && (sent[0] as number) <= clock.now() - windowMs) sent.shift()
      const inTheWay = sent[sent.length - share[purpose]]
      if (inTheWay === undefined) break
      await pause(clock, inTheWay + windowMs - clock.now(), signal)
    }
    signal.throwIfAborted()
    sent.push(clock.now())
  }
  /** One try, with its whole answer: a connection that stands still in the middle of it has failed. */
  const attempt = async (url: URL | RequestInfo, init: RequestInit, signal: AbortSignal) => {
    const late = new AbortController()
    const cancel = clock.after(answerMs, () => late.abort(new DOMException('No answer came', 'TimeoutError')))
    try {
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.any([signal, late.signal]),
      })
      const text = await response.text()
      return new Response(text === '' ? null : text, response)
    } finally {
      cancel()
    }
  }
  const patient =
    (purpose: Purpose, signal: AbortSignal) => async (url: URL | RequestInfo, init?: RequestInit) => {
      let waitMs = firstWaitMs
      for (let tried = 1; ; tried += 1) {
        await room(purpose, signal)
        const used = line.token
        const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${used}` }
        let askedMs = 0
        try {
          const response = await attempt(url, { ...init, headers }, signal)
          const { status } = response
          // The dispatch came again meanwhile, and the newer token speaks for the run from then on.
          if ((status === 401 || status === 409) && used !== line.token) continue
          if (status === 401) options.onRefused()
          // The try before may still be at work under the same key.
          const isHeld = status === 409 && purpose === 'work' && tried > 1
          const passes = status === 429 || status >= 500 || isHeld
          if (!passes || tried >= tries[purpose]) return response
          askedMs = Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0
        } catch (error) {
          signal.throwIfAborted()
          if (tried >= tries[purpose]) throw error
        }
        await pause(clock, Math.max(askedMs, waitMs), signal)
        waitMs = Math.min(waitMs * 2, longestWaitMs)
      }
    }
  const line: Line = {
    token: options.token,
    call(purpose, route, { body, signal }) {
      const client = createClient({ baseUrl, fetch: patient(purpose, signal) })
      // What was carried out and whose answer was lost is not carried out again.
      const headers =
        purpose === 'work' && body !== undefined ? { 'idempotency-key': crypto.randomUUID() } : {}
      const input = { params: { runId }, headers, ...(body !== undefined && { body }) }
      return client.call('agent', route, input as never) as Promise<Reply<'agent', typeof route>>
    },
  }
  return line
}
