import { describe, expect, it } from 'vitest'
import {
  createSharedCounters,
  type SharedCountersOptions,
} from '../../packages/core/src/platform/counters/shared.ts'
import { createTestClock } from '../kit/clock.ts'
import { createLogRecorder, openRedisSpace, type RedisSpace, redisUrl } from '../kit/redis.ts'
import { atOnce } from './rig.ts'

const rule = { limit: 300, burst: 60, windowMs: 60_000 }
const start = Date.UTC(2026, 3, 10, 9)
const leaseMs = 15_000

/** Another server on the same Redis: a connection, counters and a clock of its own. */
async function join(space: RedisSpace, more: Partial<SharedCountersOptions> = {}, at = start) {
  const clock = createTestClock(at)
  const { log, lines } = createLogRecorder()
  const redis = await space.another()
  return { clock, redis, lines, counters: createSharedCounters({ redis, clock, log, ...more }) }
}

const admitted = (counts: Array<{ admitted: boolean }>) => counts.filter((count) => count.admitted).length

describe.skipIf(!redisUrl)('counters of several servers', () => {
  it('enforce one limit together, though their clocks differ by an hour', async () => {
    await using space = await openRedisSpace()
    const nodes = [await join(space), await join(space, {}, start + 3_600_000), await join(space)]
    const counts = await atOnce(900, (i) => nodes[i % 3]?.counters.hit('k', rule))
    expect(admitted(counts as never)).toBe(360)
    for (const { counters, clock } of nodes) {
      const { admitted, used, resetAt } = await counters.hit('k', rule)
      expect([admitted, used]).toEqual([false, 360])
      // In the time of the server that emits it.
      expect(resetAt).toBeGreaterThan(clock.now() + 30_000)
      expect(resetAt).toBeLessThanOrEqual(clock.now() + 60_000)
    }
  })

  it('share slots: one that is released on one server is free on the other', async () => {
    await using space = await openRedisSpace()
    const [a, b] = [await join(space), await join(space)]
    const tries = await atOnce(40, (i) => (i % 2 === 0 ? a : b).counters.enter('streams:u', 5))
    expect(tries.filter(Boolean)).toHaveLength(5)
    const takenByA = tries.filter((entered, i) => entered && i % 2 === 0).length
    const [leaver, other] = takenByA > 0 ? [a, b] : [b, a]
    leaver.counters.leave('streams:u')
    await leaver.redis.check()
    expect(await other.counters.enter('streams:u', 5)).toBe(true)
    expect(await leaver.counters.enter('streams:u', 5)).toBe(false)
    // What one server took, another cannot give back.
    const third = await join(space)
    third.counters.leave('streams:u')
    await third.redis.check()
    expect(await third.counters.enter('streams:u', 5)).toBe(false)
  })

  it('free the slots of a killed server when their lease expires, and no others', async () => {
    await using space = await openRedisSpace()
    const [dead, alive] = [await join(space, { time: 'clock' }), await join(space, { time: 'clock' })]
    for (let i = 0; i < 3; i += 1) await dead.counters.enter('streams:u', 5)
    for (let i = 0; i < 2; i += 1) await alive.counters.enter('streams:u', 5)
    alive.clock.advance(leaseMs - 1)
    expect(await alive.counters.enter('streams:u', 5)).toBe(false)
    alive.clock.advance(1)
    const tries = await atOnce(5, () => alive.counters.enter('streams:u', 5))
    expect(tries.filter(Boolean)).toHaveLength(3)
    alive.clock.advance(10 * leaseMs)
    expect(await alive.counters.enter('streams:u', 5)).toBe(false)
  })

  it('renew thousands of slots in time', async () => {
    await using space = await openRedisSpace()
    const [a, b] = [await join(space, { time: 'clock' }), await join(space, { time: 'clock' })]
    const names = Array.from({ length: 1_201 }, (_, i) => `streams:${i}`)
    await atOnce(names.length, (i) => a.counters.enter(names[i] as string, 1))
    for (const { clock } of [a, b]) clock.advance(3 * leaseMs)
    await a.redis.check()
    const stolen = await atOnce(names.length, (i) => b.counters.enter(names[i] as string, 1))
    expect(stolen.filter(Boolean)).toHaveLength(0)
    for (const name of names) a.counters.leave(name)
    await a.redis.check()
    expect(await space.keys()).toEqual({})
  })

  it('restore what Redis has lost', async () => {
    await using space = await openRedisSpace()
    const [a, b] = [await join(space, { time: 'clock' }), await join(space, { time: 'clock' })]
    await a.counters.enter('streams:u', 1)
    await space.redis.send('UNLINK', `${space.prefix}streams:u`)
    a.clock.advance(leaseMs / 3)
    await a.redis.check()
    expect(await b.counters.enter('streams:u', 1)).toBe(false)
  })

  it('leave only expiring keys in Redis, with the names of the contract', async () => {
    await using space = await openRedisSpace()
    const { counters } = await join(space)
    const key = 'rate:dashboard:01JZ0000000000000000000A00:U-admin'
    await atOnce(500, () => counters.hit(key, rule))
    await counters.enter('streams:U-admin', 5)
    const left = await space.keys()
    expect(Object.keys(left).toSorted()).toEqual([key, 'streams:U-admin'])
    expect(left[key]).toBeGreaterThan(50_000)
    expect(left[key]).toBeLessThanOrEqual(60_000)
    expect(left['streams:U-admin']).toBeGreaterThan(5_000)
    expect(left['streams:U-admin']).toBeLessThanOrEqual(leaseMs)
    // A full window of 360: a dozen bytes for each, whatever else comes.
    const bytes = Number(await space.redis.send('MEMORY', 'USAGE', space.prefix + key, 'SAMPLES', '0'))
    expect(bytes).toBeLessThan(360 * 16 + 512)
  })

  it('continue when Redis has lost the scripts', async () => {
    await using space = await openRedisSpace()
    const { counters, lines } = await join(space)
    expect((await counters.hit('k', rule)).used).toBe(1)
    await space.redis.send('SCRIPT', 'FLUSH')
    expect((await counters.hit('k', rule)).used).toBe(2)
    expect(lines).toEqual([])
  })

  it('never exceed the limit after a clock was set back, and reset when it was by more than a window', async () => {
    await using space = await openRedisSpace()
    const [now, behind, longAgo] = [
      await join(space, { time: 'clock' }),
      await join(space, { time: 'clock' }, start - 5_000),
      await join(space, { time: 'clock' }, start - 3_600_000),
    ]
    const one = { limit: 1, burst: 0, windowMs: 60_000 }
    expect((await now.counters.hit('k', one)).admitted).toBe(true)
    expect((await behind.counters.hit('k', one)).admitted).toBe(false)
    behind.clock.advance(64_999)
    expect((await behind.counters.hit('k', one)).admitted).toBe(false)
    behind.clock.advance(1)
    expect((await behind.counters.hit('k', one)).admitted).toBe(true)
    expect((await longAgo.counters.hit('k', one)).admitted).toBe(true)
  })

  it('count locally, and log it, when a key has an unexpected type', async () => {
    await using space = await openRedisSpace()
    const { counters, lines, redis } = await join(space)
    await space.redis.send('SET', `${space.prefix}k`, 'x', 'PX', '60000')
    expect(await counters.hit('k', { limit: 1, burst: 0, windowMs: 1_000 })).toMatchObject({ admitted: true })
    expect(lines).toMatchObject([{ level: 'error', message: 'A counter in Redis cannot be used', key: 'k' }])
    expect(redis.up).toBe(true)
  })
})
