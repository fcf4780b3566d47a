type Eventually<T> = T | Promise<T>

/** A window that is counted in: how many requests it admits, and how long it is. */
export interface CountRule {
  limit: number
  /** Admitted on top of `limit`. */
  burst: number
  windowMs: number
}

export interface Count {
  admitted: boolean
  /** Requests in the window, this one included when it was admitted. */
  used: number
  /** When the oldest of them leaves the window, milliseconds since the epoch. */
  resetAt: number
}

/**
 * Where requests are counted: in this process, or together with other servers. Neither ever throws; the shared one counts
 * in its process as long as its store is away.
 */
export interface Counters {
  /** Counts one request in a sliding window, unless the window is full. */
  hit(key: string, rule: CountRule): Eventually<Count>
  /** Takes one of `max` places; false when all are taken. */
  enter(key: string, max: number): Eventually<boolean>
  /** Gives one of the places back that were taken here. */
  leave(key: string): void
}
