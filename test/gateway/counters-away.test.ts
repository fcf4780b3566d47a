import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startRedis } from '../../config/redis.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createSharedCounters } from '../../packages/core/src/platform/counters/shared.ts'
import { RedisAway } from '../../packages/core/src/platform/redis.ts'
import { createRedis } from '../../packages/core/src/platform/redis-connection.ts'
import { createTestClock } from '../kit/clock.ts'
import { createLogRecorder, openRedisProxy, openRedisSpace, type RedisSpace, redisUrl } from '../kit/redis.ts'
import { atOnce, createRig, errorOf, team } from './rig.ts'

const ping = endpoint({
  id: 'd.ping',
  route: 'GET /ping',
  summary: 'Ping',
  access: team,
  reply: { 204: z.void() },
}).handle(async () => {})

const retryMs = 20
const limits = { perMinute: 4, burst: 0, by: 'user' } as const
const went = { level: 'warn', message: 'Redis does not answer; it is done without until it does' }
const back = { level: 'info', message: 'Redis answers again' }

/** A server that reaches its Redis by `url`. */
async function serve(space: RedisSpace, url: string, timeoutMs = 5_000) {
  const book = createLogRecorder()
  const redis = await space.another({ url, timeoutMs, retryMs, log: book.log })
  const counters = createSharedCounters({ redis, clock: createTestClock(), log: book.log })
  const rig = createRig([ping], { surface: { limits }, ports: { counters } })
  return {
    redis,
    counters,
    lines: book.lines,
    ask: (as = 'member') => rig.call('GET', '/dashboard/v1/ping', { as }),
    isBack: () => expect.poll(() => redis.up, { interval: 10 }).toBe(true),
  }
}

const statuses = async (many: number, ask: () => Promise<Response>) =>
  (await Promise.all(Array.from({ length: many }, ask))).map(({ status }) => status).toSorted((a, b) => a - b)

describe.skipIf(!redisUrl)('a server that loses its Redis connection', () => {
  it('continues with local counters, logs it once, and reconnects by itself', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const { ask, lines, redis, isBack } = await serve(space, proxy.url)
    expect(await statuses(4, ask)).toEqual([204, 204, 204, 204])
    expect((await ask()).status).toBe(429)
    await proxy.cut()
    await expect.poll(() => redis.up).toBe(false)
    expect(await statuses(6, ask)).toEqual([204, 204, 204, 204, 429, 429])
    const refused = await ask()
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect(lines).toMatchObject([went])
    await proxy.heal()
    await isBack()
    // Redis has not forgotten what it admitted.
    expect((await ask()).status).toBe(429)
    expect((await ask('admin')).status).toBe(204)
    expect(lines).toMatchObject([went, back])
    expect(Object.keys(await space.keys()).some((key) => key.endsWith('U-admin'))).toBe(true)
  })

  it('delays requests once for a Redis that hangs, and none after that', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const timeoutMs = 200
    const { ask, redis, lines, isBack } = await serve(space, proxy.url, timeoutMs)
    await ask()
    proxy.hang()
    const first = performance.now()
    expect((await statuses(20, () => ask('admin'))).filter((status) => status === 204)).toHaveLength(4)
    expect(performance.now() - first).toBeLessThan(20 * timeoutMs)
    expect(redis.up).toBe(false)
    const then = performance.now()
    for (let i = 0; i < 100; i += 1) await ask()
    // A single one that waited would need the whole of it.
    expect(performance.now() - then).toBeLessThan(timeoutMs * 10)
    await proxy.heal()
    await isBack()
    expect(lines).toMatchObject([went, { message: back.message }])
  })

  it('keeps the stream limit of a user across the outage, and synchronizes afterwards', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const { counters, redis, isBack } = await serve(space, proxy.url)
    const direct = await serve(space, redisUrl)
    for (let i = 0; i < 3; i += 1) expect(await counters.enter('streams:u', 5)).toBe(true)
    await proxy.cut()
    await expect.poll(() => redis.up).toBe(false)
    await space.redis.send('UNLINK', `${space.prefix}streams:u`)
    const alone = await atOnce(4, () => counters.enter('streams:u', 5))
    expect(alone).toEqual([true, true, false, false])
    counters.leave('streams:u')
    await proxy.heal()
    await isBack()
    const others = await atOnce(3, () => direct.counters.enter('streams:u', 5))
    expect(others).toEqual([true, false, false])
  })

  it('starts without Redis', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    await proxy.cut()
    const { ask, lines, redis, isBack } = await serve(space, proxy.url)
    expect(redis.up).toBe(false)
    await expect(redis.check()).rejects.toThrow(RedisAway)
    expect((await ask()).status).toBe(204)
    await proxy.heal()
    await isBack()
    await expect(redis.check()).resolves.toBeUndefined()
    expect(lines).toMatchObject([{ ...went, reason: expect.stringContaining('ECONNREFUSED') }, back])
  })

  it('stops at once, with and without Redis', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const { redis, counters } = await serve(space, proxy.url)
    await counters.enter('streams:u', 5)
    counters.leave('streams:u')
    await redis.close()
    // What was sent before is still carried out.
    expect(await space.keys()).toEqual({})
    await proxy.cut()
    const other = await serve(space, proxy.url)
    await other.redis.close()
    expect(other.lines).toMatchObject([went])
    await proxy.heal()
    expect(other.redis.up).toBe(false)
  })

  it('reports why the connection is rejected, and never the password', async () => {
    const { log, lines } = createLogRecorder()
    const url = new URL(redisUrl)
    url.username = 'nobody'
    url.password = 'a-secret-word'
    const redis = createRedis({ url: url.href, log })
    await redis.start()
    expect(lines).toMatchObject([{ ...went, reason: expect.stringMatching(/WRONGPASS|AUTH/) }])
    await redis.close()
    expect(() => createRedis({ url: 'http://:a-secret-word@127.0.0.1', log })).toThrow(
      'redis:// or rediss://',
    )
    expect(JSON.stringify(lines)).not.toContain('a-secret-word')
  })
})

const own = redisUrl ? await startRedis().catch(() => undefined) : undefined

describe.skipIf(!own)('a Redis that responds but cannot be used', () => {
  it('counts as unavailable while it is full, and while it is a replica', async () => {
    const { log, lines } = createLogRecorder()
    const redis = createRedis({ url: own?.url ?? '', log, retryMs, timeoutMs: 5_000 })
    await redis.start()
    const counters = createSharedCounters({ redis, clock: createTestClock(), log })
    const admin = createRedis({ url: own?.url ?? '', log: createLogRecorder().log })
    await admin.start()
    const rule = { limit: 1, burst: 0, windowMs: 60_000 }
    for (const [broken, whole] of [
      [
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ],
      [
        ['REPLICAOF', '127.0.0.1', '1'],
        ['REPLICAOF', 'NO', 'ONE'],
      ],
    ] as const) {
      await admin.send(...broken)
      expect((await counters.hit(`k${broken[0]}`, rule)).admitted).toBe(true)
      expect((await counters.hit(`k${broken[0]}`, rule)).admitted).toBe(false)
      expect(redis.up).toBe(false)
      await admin.send(...whole)
      await expect.poll(() => redis.up, { interval: 10 }).toBe(true)
    }
    expect(lines).toMatchObject([
      { ...went, reason: expect.stringContaining('OOM') },
      back,
      { ...went, reason: expect.stringContaining('READONLY') },
      back,
    ])
    await own?.stop()
    await expect.poll(() => redis.up).toBe(false)
    expect((await counters.hit('k', rule)).admitted).toBe(true)
    await redis.close()
    await admin.close()
  })
})
