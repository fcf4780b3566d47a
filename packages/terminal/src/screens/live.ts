import type { Client } from '@copydesk/client'
import type { Shell } from './shell.ts'

/** How long events are gathered before the server is asked anew, milliseconds. */
const gatherMs = 400
/** How long to wait for each request since the last look, and at the most: who shows thousands of rows looks less often. */
const restMs = 200
const longestRestMs = 15_000
/** Costs grow without an event: a screen looks again after this long, milliseconds. */
const atLeastMs = 60_000
/** Before a stream that was refused is tried again, milliseconds. */
const refusedMs = 5_000

/** What moves something that a screen shows; runs alone would have it look without an end. */
const shown = 'questions,verdicts,deliveries,blockers'

/** The one stream of events that all screens of a terminal share: a person may have five, over all surfaces. */
export interface Live {
  /** Calls back when something has happened. @returns how to end that */
  listen(fn: () => void): () => void
  /** As if something had happened. */
  tell(): void
  /** Follows what the terminal is narrowed to now. */
  reopen(): void
}

interface LiveOptions {
  client: Client
  tenantId(): string | undefined
  after(ms: number, fn: () => void): () => void
}

/** Follows events for as long as somebody listens, through cuts, and through refusals until somebody has logged in again. */
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
        // What refuses the stream refuses the calls as well, which say so.
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
 * Calls back soon after something has happened at one of the tenants, through cuts, and once a minute. Called while a screen is
 * opened: as long as another one covers it, it hears nothing, and what it has missed afterwards.
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
    // Until the next look it is known how many requests this one has taken.
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
    // Drawn anew after another screen was closed, this one catches up.
    shell.subscribe(soon),
    () => waiting?.(),
    () => callOff(),
  ]
  signal.addEventListener('abort', () => {
    for (const end of ends) end()
  })
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
