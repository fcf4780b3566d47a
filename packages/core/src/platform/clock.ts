import { randomFillSync } from 'node:crypto'
import { decodeTime, encodeTime, monotonicFactory } from 'ulid'

/** The only source of "now" in the process; tests put their own in its place. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** The same instant as a `Date`. */
  date(): Date
  /**
   * Calls `fn` after `ms` milliseconds. The timer never keeps the process alive.
   * @returns a function that cancels the call
   */
  after(ms: number, fn: () => void): () => void
}

/** The machine's own clock. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    date: () => new Date(),
    after: (ms, fn) => {
      const timer = setTimeout(fn, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}

/** Waits `ms` milliseconds; not at all for 0. @throws the reason of `signal` as soon as that aborts */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Makes identifiers: ULIDs, 26 characters, sortable by creation time. */
export type NewId = () => string

/** ULIDs that grow strictly within this process, also inside one millisecond. */
export function createIds(clock: Clock): NewId {
  const next = monotonicFactory(createRandom())
  return () => next(clock.now())
}

/** Random bytes as fractions, fetched in stock: one call into the system for each character of an id is slow. */
function createRandom(): () => number {
  const stock = new Uint8Array(4_096)
  let used = stock.length
  return () => {
    if (used === stock.length) {
      randomFillSync(stock)
      used = 0
    }
    return (stock[used++] as number) / 256
  }
}

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** True for a well-formed ULID in its canonical upper-case form. */
export function isUlid(text: string): boolean {
  return ULID.test(text)
}

/** When an id was made, milliseconds since the epoch. */
export function madeAt(id: string): number {
  return decodeTime(id)
}

/** The smallest id that can have been made at an instant or later. */
export function firstIdAt(instant: Date): string {
  return encodeTime(Math.max(0, instant.getTime())) + '0'.repeat(16)
}
