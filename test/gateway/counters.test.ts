import { describe, expect, it } from 'vitest'
import { type Counters, createMemoryCounters } from '../../packages/core/src/platform/counters/counters.ts'
import { createSharedCounters } from '../../packages/core/src/platform/counters/shared.ts'
import { createTestClock, type TestClock } from '../kit/clock.ts'
import { createLogRecorder, openRedisSpace, redisUrl } from '../kit/redis.ts'
import { atOnce } from './rig.ts'

interface Subject extends AsyncDisposable {
  counters: Counters
  clock: TestClock
}

async function inProcess(): Promise<Subject> {
  const clock = createTestClock()
  return { clock, counters: createMemoryCounters(clock), async [Symbol.asyncDispose]() {} }
}

async function inRedis(): Promise<Subject> {
  const clock = createTestClock()
  const space = await openRedisSpace()
  const { log, lines } = createLogRecorder()
  return {
    clock,
    counters: createSharedCounters({ redis: space.redis, clock, log, time: 'clock' }),
    async [Symbol.asyncDispose]() {
      await space[Symbol.asyncDispose]()
      if (lines.length > 0) throw new Error(`the counters complained: ${JSON.stringify(lines)}`)
    },
  }
}

/** What holds wherever is counted. */
function countersOf(open: () => Promise<Subject>): void {
  it('allow limit and burst in any window, to the millisecond', async () => {
    await using subject = await open()
    const { counters, clock } = subject
    const rule = { limit: 20, burst: 5, windowMs: 60_000 }
    const admitted: number[] = []
    // A caller that hardly rests: no window of the log may hold more than 25.
    for (let i = 0; i < 4_000; i += 1) {
      if ((await counters.hit('k', rule)).admitted) admitted.push(clock.now())
      clock.advance(1 + ((i * 7919) % 173))
    }
    for (let i = 25; i < admitted.length; i += 1) {
      expect((admitted[i] as number) - (admitted[i - 25] as number)).toBeGreaterThanOrEqual(60_000)
    }
    const elapsed = clock.now() - (admitted[0] as number)
    expect(admitted.length).toBeGreaterThanOrEqual(Math.floor(elapsed / 60_000) * 25)
  })

  it('allow exactly the limit under concurrency', async () => {
    await using subject = await open()
    const rule = { limit: 300, burst: 60, windowMs: 60_000 }
    const all = await atOnce(1_000, () => subject.counters.hit('k', rule))
    expect(all.filter((count) => count.admitted).map(({ used }) => used)).toEqual(
      Array.from({ length: 360 }, (_, i) => i + 1),
    )
    expect(all.filter((count) => !count.admitted).every(({ used }) => used === 360)).toBe(true)
  })

  it('do not count rejected requests, and return when the oldest expires', async () => {
    await using subject = await open()
    const { counters, clock } = subject
    const start = clock.now()
    const rule = { limit: 1, burst: 0, windowMs: 1_000 }
    expect(await counters.hit('k', rule)).toEqual({ admitted: true, used: 1, resetAt: start + 1_000 })
    clock.advance(999)
    expect(await counters.hit('k', rule)).toEqual({ admitted: false, used: 1, resetAt: start + 1_000 })
    clock.advance(1)
    expect(await counters.hit('k', rule)).toEqual({ admitted: true, used: 1, resetAt: start + 2_000 })
    clock.advance(5_000)
    expect(await counters.hit('k', rule)).toEqual({ admitted: true, used: 1, resetAt: start + 7_000 })
  })

  it('keep keys separate, and apply a rule that becomes stricter', async () => {
    await using subject = await open()
    const { counters } = subject
    const rule = { limit: 3, burst: 0, windowMs: 60_000 }
    for (let i = 0; i < 3; i += 1) await counters.hit('a', rule)
    expect(await counters.hit('b', rule)).toMatchObject({ admitted: true, used: 1 })
    expect(await counters.hit('a', { ...rule, limit: 2 })).toMatchObject({ admitted: false, used: 3 })
    expect(await counters.hit('c', { ...rule, limit: 0 })).toMatchObject({ admitted: false, used: 0 })
  })

  it('allocate up to the maximum of slots, and one more for each that is released', async () => {
    await using subject = await open()
    const { counters } = subject
    const taken = await atOnce(20, () => counters.enter('streams:u', 5))
    expect(taken.filter(Boolean)).toHaveLength(5)
    expect(await counters.enter('streams:v', 5)).toBe(true)
    counters.leave('streams:u')
    counters.leave('streams:u')
    const again = await atOnce(5, () => counters.enter('streams:u', 5))
    expect(again.filter(Boolean)).toHaveLength(2)
  })

  it('ignore the release of a slot that was not allocated', async () => {
    await using subject = await open()
    const { counters } = subject
    counters.leave('p')
    counters.leave('p')
    expect(await counters.enter('p', 1)).toBe(true)
    expect(await counters.enter('p', 1)).toBe(false)
    counters.leave('p')
    counters.leave('p')
    expect(await counters.enter('p', 1)).toBe(true)
    expect(await counters.enter('p', 1)).toBe(false)
  })

  it('keep a slot while it is in use', async () => {
    await using subject = await open()
    const { counters, clock } = subject
    await counters.enter('p', 1)
    for (let minutes = 0; minutes < 10; minutes += 1) {
      clock.advance(60_000)
      expect(await counters.enter('p', 1)).toBe(false)
    }
  })
}

describe('counters in process', () => {
  countersOf(inProcess)
})
describe.skipIf(!redisUrl)('counters in Redis', () => {
  countersOf(inRedis)
})
