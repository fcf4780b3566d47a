import type { Clock } from '../clock.ts'

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

/** A sliding window: the instants of what it admitted, in a ring that grows up to what the rule admits. */
interface Window {
  times: Float64Array
  head: number
  size: number
  windowMs: number
}

export interface MemoryCounters extends Counters {
  hit(key: string, rule: CountRule): Count
  enter(key: string, max: number): boolean
  /** Keys that are remembered. */
  readonly size: number
}

const firstRing = 8
const sweepEveryMs = 60_000

/**
 * Counts in this process. Exact: never more than `limit + burst` requests in any window of `windowMs`; what was refused
 * does not count. A key costs 8 bytes for each request in its window and is dropped when its window is empty.
 * @param maxKeys beyond this many live keys the oldest are dropped
 */
// Not `rate-limiter-flexible`: its windows stand still and end all at once, the window of the contract slides.
export function createMemoryCounters(clock: Clock, maxKeys = 200_000): MemoryCounters {
  const windows = new Map<string, Window>()
  const places = new Map<string, number>()
  let sweptAt = clock.now()

  function sweep(now: number): void {
    sweptAt = now
    for (const [key, window] of windows) {
      expire(window, now)
      if (window.size === 0) windows.delete(key)
    }
  }

  function open(key: string, rule: CountRule): Window {
    if (windows.size >= maxKeys) windows.delete(windows.keys().next().value as string)
    const window = { times: new Float64Array(firstRing), head: 0, size: 0, windowMs: rule.windowMs }
    windows.set(key, window)
    return window
  }

  return {
    hit(key, rule): Count {
      const now = clock.now()
      if (now - sweptAt >= sweepEveryMs) sweep(now)
      const window = windows.get(key) ?? open(key, rule)
      expire(window, now)
      const admitted = window.size < rule.limit + rule.burst
      if (admitted) push(window, now)
      const oldest = window.size === 0 ? now : (window.times[window.head] as number)
      return { admitted, used: window.size, resetAt: oldest + rule.windowMs }
    },
    enter(key, max) {
      const taken = places.get(key) ?? 0
      if (taken >= max) return false
      places.set(key, taken + 1)
      return true
    },
    leave(key) {
      const taken = places.get(key) ?? 0
      if (taken <= 1) places.delete(key)
      else places.set(key, taken - 1)
    },
    get size() {
      return windows.size + places.size
    },
  }
}

function expire(window: Window, now: number): void {
  const { times } = window
  while (window.size > 0 && (times[window.head] as number) <= now - window.windowMs) {
    window.head = window.head + 1 === times.length ? 0 : window.head + 1
    window.size -= 1
  }
}

function push(window: Window, now: number): void {
  if (window.size === window.times.length) {
    const wider = new Float64Array(window.times.length * 2)
    for (let i = 0; i < window.size; i += 1) {
      wider[i] = window.times[(window.head + i) % window.times.length] as number
    }
    window.times = wider
    window.head = 0
  }
  window.times[(window.head + window.size) % window.times.length] = now
  window.size += 1
}
