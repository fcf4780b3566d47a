import { monotonicFactory } from 'ulid'

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

/** Makes identifiers: ULIDs, 26 characters, sortable by creation time. */
export type NewId = () => string

/** ULIDs that grow strictly within this process, also inside one millisecond. */
export function createIds(clock: Clock): NewId {
  const next = monotonicFactory()
  return () => next(clock.now())
}

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** True for a well-formed ULID in its canonical upper-case form. */
export function isUlid(text: string): boolean {
  return ULID.test(text)
}
