import type { Clock } from '../../packages/core/src/platform/clock.ts'

/** A clock that stands still until it is moved, and fires what was due on the way, in order. */
export interface TestClock extends Clock {
  /** Moves on by `ms` milliseconds. */
  advance(ms: number): void
}

/**
 * How often one advance fires a timer that sets itself again, at most; then only when it is due last. No promise is settled
 * while the clock moves, so a poll of every second can do no more in a year of them than in the first and the last.
 */
const mostRounds = 1_000

export function createTestClock(start = Date.UTC(2026, 3, 10, 9, 0, 0)): TestClock {
  let now = start
  let end = start
  let next = 0
  let firing: Timer | undefined
  const timers = new Map<number, Timer>()
  return {
    now: () => now,
    date: () => new Date(now),
    after(ms, fn) {
      const id = next++
      const round = firing?.ms === ms ? firing.round + 1 : 0
      const due = now + ms
      const rest = round > mostRounds && ms > 0 ? Math.max(Math.floor((end - due) / ms), 0) : 0
      timers.set(id, { id, at: due + rest * ms, ms, fn, round })
      return () => void timers.delete(id)
    },
    advance(ms) {
      end = now + ms
      for (const timer of timers.values()) timer.round = 0
      for (let due = earliest(timers); due && due.at <= end; due = earliest(timers)) {
        timers.delete(due.id)
        now = Math.max(now, due.at)
        firing = due
        due.fn()
        firing = undefined
      }
      now = end
    },
  }
}

interface Timer {
  id: number
  at: number
  ms: number
  fn: () => void
  /** How often it has set itself again since the clock began to move. */
  round: number
}

/** @returns what is due first; of several at one time the one that was set first, because a map keeps that order */
function earliest(timers: ReadonlyMap<number, Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers.values()) if (!first || timer.at < first.at) first = timer
  return first
}
