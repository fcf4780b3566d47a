import type { Clock } from '../../packages/core/src/platform/clock.ts'

/** A clock that stands still until it is moved, and fires what was due on the way, in order. */
export interface TestClock extends Clock {
  /** Moves on by `ms` milliseconds. */
  advance(ms: number): void
}

export function createTestClock(start = Date.UTC(2026, 3, 10, 9, 0, 0)): TestClock {
  let now = start
  let next = 0
  const timers = new Map<number, Timer>()
  return {
    now: () => now,
    date: () => new Date(now),
    after(ms, fn) {
      const id = next++
      timers.set(id, { id, at: now + ms, fn })
      return () => void timers.delete(id)
    },
    advance(ms) {
      const end = now + ms
      for (let due = earliest(timers); due && due.at <= end; due = earliest(timers)) {
        timers.delete(due.id)
        now = Math.max(now, due.at)
        due.fn()
      }
      now = end
    },
  }
}

interface Timer {
  id: number
  at: number
  fn: () => void
}

/** @returns what is due first; of several at one time the one that was set first, because a map keeps that order */
function earliest(timers: ReadonlyMap<number, Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers.values()) if (!first || timer.at < first.at) first = timer
  return first
}
