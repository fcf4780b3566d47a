import type { Client } from '@copydesk/client'
import type { Shell } from './shell.ts'

/** How long events are collected before the data is loaded again, milliseconds. */
const gatherMs = 400
/**
 * Delay per request since the last reload, and its maximum: a terminal that shows thousands of rows reloads
 * less often.
 */
const restMs = 200
const longestRestMs = 15_000
/** Costs grow without events: a screen reloads after this time, milliseconds. */
const atLeastMs = 60_000
/** How often a screen reloads while something on it is in progress, milliseconds. */
const progressMs = 3_000
/** Delay before a rejected stream is opened again, milliseconds. */
const refusedMs = 5_000

/** Event types that change what a screen shows; run events alone would reload without end. */
const shown = 'questions,verdicts,deliveries,blockers'

/** The one event stream that all screens of a terminal share: a user may have five, over all surfaces. */
export interface Live {
  /** Calls back on each event. @returns a function that unsubscribes */
  listen(fn: () => void): () => void
  /** Calls back as if an event had arrived. */
  tell(): void
  /** Follows the tenant that the terminal is filtered by now. */
  reopen(): void
}

interface LiveOptions {
  client: Client
  tenantId(): string | undefined
  after(ms: number, fn: () => void): () => void
}

/**
 * Follows events while there are subscribers, through disconnects, and through rejections until the user has
 * logged in again.
 */
export function createLive({ client, tenantId, after }: LiveOptions): Live {
  const listeners = new Set<() => void>()
  let stop: AbortController | undefined

  const tell = () => {
    for (const listener of listeners) listener()
  }
  const follow = async (signal: AbortSignal) => {
    const id = tenantId()
    const query = { ...(id !== undefined && { tenantId: id }), 'filter.kind': shown }
    while (!signal.aborted) {
      try {
        for await (const _ of client.stream('cli', 'GET /events/stream', { query, signal })) tell()
      } catch {
        // What rejects the stream also rejects the requests, which report it.
      }
      if (!signal.aborted) await waited(refusedMs, signal, after)
    }
  }
  const close = () => {
    stop?.abort()
    stop = undefined
  }
  const open = () => {
    stop = new AbortController()
    void follow(stop.signal)
  }
  return {
    listen(fn) {
      listeners.add(fn)
      if (!stop) open()
      return () => {
        listeners.delete(fn)
        if (listeners.size === 0) close()
      }
    },
    tell,
    reopen() {
      close()
      if (listeners.size > 0) open()
    },
  }
}

/**
 * Calls back soon after an event of the tenants, after reconnects, and once a minute. Called while a screen
 * is opened: while another screen covers it, it gets no calls, and is called once afterwards if it missed
 * some.
 */
export function followEvents(shell: Shell, signal: AbortSignal, fn: () => void): void {
  const place = shell.screens.length
  let news = false
  let waiting: (() => void) | undefined
  let rest = () => 0
  const look = () => {
    waiting = undefined
    if (shell.screens.length - 1 !== place) return
    news = false
    const before = shell.requests.made
    fn()
    // The number of requests of this reload is known at the next one.
    rest = () => Math.min(longestRestMs, (shell.requests.made - before) * restMs)
  }
  let callOff: () => void
  const lookAgain = () => {
    callOff = shell.after(atLeastMs, () => {
      lookAgain()
      if (!waiting) look()
    })
  }
  const soon = () => {
    if (!news || waiting || shell.screens.length - 1 !== place) return
    waiting = shell.after(Math.max(gatherMs, rest()), look)
  }
  lookAgain()
  const ends = [
    shell.live.listen(() => {
      news = true
      soon()
    }),
    // When the screen above is closed and this one is drawn again, it is reloaded.
    shell.subscribe(soon),
    () => waiting?.(),
    () => callOff(),
  ]
  signal.addEventListener('abort', () => {
    for (const end of ends) end()
  })
}

/**
 * Calls back often while something that a screen shows is in progress: that causes no events. Called while the screen
 * is opened.
 */
export function followProgress(
  shell: Shell,
  signal: AbortSignal,
  isInProgress: () => boolean,
  fn: () => void,
): void {
  const place = shell.screens.length
  let callOff: () => void
  const look = () => {
    callOff = shell.after(progressMs, () => {
      look()
      if (shell.screens.length - 1 === place && isInProgress()) fn()
    })
  }
  look()
  signal.addEventListener('abort', () => callOff())
}

function waited(ms: number, signal: AbortSignal, after: LiveOptions['after']): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      callOff()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const callOff = after(ms, end)
    signal.addEventListener('abort', end)
  })
}
