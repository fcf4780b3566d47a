import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'

const dayMs = 86_400_000

describe('createTestClock', () => {
  /** When a poll of every second, and what was due at `dates`, were fired. */
  function record(clock: ReturnType<typeof createTestClock>, dates: readonly number[] = []) {
    const polls: number[] = []
    const others: number[] = []
    const poll = () => {
      polls.push(clock.now())
      clock.after(1_000, poll)
    }
    clock.after(1_000, poll)
    for (const at of dates) clock.after(at, () => void others.push(clock.now()))
    return { polls, others }
  }

  it('fires what was due on the way, in order and at its time', () => {
    const clock = createTestClock(0)
    const { polls, others } = record(clock, [2_500, 500, 10_000])
    clock.advance(3_500)
    expect(polls).toEqual([1_000, 2_000, 3_000])
    expect(others).toEqual([500, 2_500])
    expect(clock.now()).toBe(3_500)
  })

  it('fires every round of a timer that sets itself again, in many small steps', () => {
    const clock = createTestClock(0)
    const { polls } = record(clock)
    for (let step = 0; step < 500; step += 1) clock.advance(5_000)
    expect(polls).toHaveLength(2_500)
    expect(polls.at(-1)).toBe(2_500_000)
  })

  it('leaves rounds out in a great step, but neither the last one nor any other timer', () => {
    const clock = createTestClock(0)
    const dates = [dayMs / 2 + 7, dayMs, 2 * dayMs - 1]
    const { polls, others } = record(clock, dates)
    clock.advance(2 * dayMs + 500)
    expect(polls.length).toBeLessThan(1_100)
    expect(polls.at(-1)).toBe(2 * dayMs)
    expect(others).toEqual(dates)
    clock.advance(500)
    expect(polls.at(-1)).toBe(2 * dayMs + 1_000)
  })
})
