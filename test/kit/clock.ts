import type { Clock } from '../../packages/core/src/platform/clock.ts'

/** A clock that stands still until it is moved, and fires what was due on the way, in order. */
export interface TestClock extends Clock {
  /** Moves on by `ms` milliseconds. */
  advance(ms: number): void
}

export function createTestClock(start = Date.UTC(2026, 3, 10, 9, 0, 0)): TestClock {
  let now = start
  let next = 0
  const timers = new Map<number, { at: number; fn: () => void }>()
  return {
    now: () => now,
    date: () => new Date(now),
    after(ms, fn) {
      const id = next++
      timers.set(id, { at: now + ms, fn })
      return () => void timers.delete(id)
    },
    advance(ms) {
      const end = now + ms
      while (true) {
        const due = [...timers]
          .filter(([, timer]) => timer.at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0]
        if (!due) break
        timers.delete(due[0])
        now = Math.max(now, due[1].at)
        due[1].fn()
      }
      now = end
    },
  }
}
