import { type CallInput, createClient, type Reply, type RouteOf } from '../index.ts'
import { type Clock, pause } from './clock.ts'

export type RunRoute = Extract<RouteOf<'agent'>, `${string} /runs/:runId${string}`>
export type BodyOf<R extends RunRoute> = CallInput<'agent', R>['body']

/**
 * The purpose of a request. A run may send 60 requests a minute in total: text gives way to actions, and both
 * leave room for the heartbeat and the result.
 */
export type Purpose = 'text' | 'work' | 'beat' | 'end'

/** The maximum number of requests in the last minute with which another one of its kind is sent. */
const share: Record<Purpose, number> = { text: 36, work: 52, beat: 56, end: 59 }
/** Slightly more than the minute that the server counts, because requests arrive after they were sent. */
const windowMs = 61_000

/**
 * How often a request is tried. Results and text are retried until the run is over; a failed heartbeat is
 * followed by the next one anyway.
 */
const tries: Record<Purpose, number> = { text: Infinity, work: 8, beat: 1, end: Infinity }
const firstWaitMs = 1_000
const longestWaitMs = 30_000
/** Timeout of a response. */
const answerMs = 30_000

export interface RunConnectionOptions {
  baseUrl: string
  runId: string
  token: string
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Copydesk accepts nothing more for this run with the current token. */
  onRefused(): void
}

/**
 * The connection of one run to Copydesk: typed requests within its rate limit, retried while Copydesk
 * restarts or asks to wait.
 */
export interface RunConnection {
  /** The latest task token. */
  token: string
  /**
   * @param signal aborts the request
   * @throws ApiError for every response that a retry does not fix; errors of the network or `signal`
   */
  call<const R extends RunRoute>(
    purpose: Purpose,
    route: R,
    input: { body?: BodyOf<R>; signal: AbortSignal },
  ): Promise<Reply<'agent', R>>
}

export function createRunConnection(options: RunConnectionOptions): RunConnection {
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
  /** One attempt, including the whole response: a connection that stalls in the middle counts as failed. */
  const attempt = async (url: URL | RequestInfo, init: RequestInit, signal: AbortSignal) => {
    const late = new AbortController()
    const cancel = clock.after(answerMs, () =>
      late.abort(new DOMException('The server did not answer in time', 'TimeoutError')),
    )
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
          // The run was dispatched again meanwhile, and the newer token is valid from then on.
          if ((status === 401 || status === 409) && used !== line.token) continue
          if (status === 401) options.onRefused()
          // The previous attempt may still be running with the same key.
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
  const line: RunConnection = {
    token: options.token,
    call(purpose, route, { body, signal }) {
      const client = createClient({ baseUrl, fetch: patient(purpose, signal) })
      // An executed request whose response was lost is not executed again.
      const headers =
        purpose === 'work' && body !== undefined ? { 'idempotency-key': crypto.randomUUID() } : {}
      const input = { params: { runId }, headers, ...(body !== undefined && { body }) }
      // The compiler cannot work out the input of a route that the caller chooses; `BodyOf` has typed it already.
      return client.call('agent', route, input as never) as Promise<Reply<'agent', typeof route>>
    },
  }
  return line
}
