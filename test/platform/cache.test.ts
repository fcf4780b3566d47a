import { describe, expect, it } from 'vitest'
import { type Cache, createMemoryCache } from '../../packages/core/src/platform/cache.ts'
import { RedisAway } from '../../packages/core/src/platform/redis.ts'
import { createSharedCache } from '../../packages/core/src/platform/shared-cache.ts'
import { createTestClock } from '../kit/clock.ts'
import { openRedisProxy, openRedisSpace, redisUrl } from '../kit/redis.ts'

interface Subject extends AsyncDisposable {
  cache: Cache
  /** Lets so many seconds go by. */
  pass(seconds: number): Promise<void> | void
}

function inProcess(maxEntries?: number): Subject {
  const clock = createTestClock()
  return {
    cache: createMemoryCache({ clock, ...(maxEntries !== undefined && { maxEntries }) }),
    pass: (seconds) => clock.advance(seconds * 1_000),
    async [Symbol.asyncDispose]() {},
  }
}

async function inRedis(): Promise<Subject> {
  const space = await openRedisSpace()
  return {
    cache: createSharedCache({ redis: space.redis, clock: createTestClock() }),
    pass: (seconds) => space.age(seconds * 1_000),
    [Symbol.asyncDispose]: () => space[Symbol.asyncDispose](),
  }
}

const long = 100_000

/** What holds wherever it is kept. */
function cacheOf(open: () => Promise<Subject>): void {
  it('returns a value until it expires', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('a', { x: [1, null, 'ü'] }, long)
    await subject.pass(90)
    expect(await cache.get('a')).toEqual({ x: [1, null, 'ü'] })
    await subject.pass(10)
    expect(await cache.get('a')).toBeUndefined()
  })

  it('distinguishes a missing value from null', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('a', null, long)
    expect(await cache.get('a')).toBeNull()
    expect(await cache.get('b')).toBeUndefined()
  })

  it('restarts the expiry with a new value', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('a', 1, long)
    await subject.pass(80)
    await cache.set('a', 2, long)
    await subject.pass(80)
    expect(await cache.get('a')).toBe(2)
  })

  it('never shares an object between writers, readers or keys', async () => {
    await using subject = await open()
    const { cache } = subject
    const value = { list: [1] }
    await cache.set('t1:a', value, long)
    await cache.set('t2:a', value, long)
    value.list.push(2)
    const read = await cache.get<typeof value>('t1:a')
    read?.list.push(3)
    expect(await cache.get('t1:a')).toEqual({ list: [1] })
    expect(await cache.get('t2:a')).toEqual({ list: [1] })
  })

  it('forgets deleted keys', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('a', 1, long)
    await cache.delete('a')
    await cache.delete('never')
    expect(await cache.get('a')).toBeUndefined()
  })

  it('counts within a fixed window', async () => {
    await using subject = await open()
    const { cache } = subject
    expect(await cache.increment('n', long)).toBe(1)
    await subject.pass(60)
    expect(await cache.increment('n', long, 5)).toBe(6)
    expect(await cache.increment('n', long, -0.5)).toBe(5.5)
    await subject.pass(40)
    expect(await cache.increment('n', long)).toBe(1)
  })

  it('counts exactly under concurrency, and continues from a number that was set', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('n', 8, long)
    await Promise.all(Array.from({ length: 50 }, () => cache.increment('n', long)))
    expect(await cache.get('n')).toBe(58)
  })

  it('rejects values that cannot be serialized', async () => {
    await using subject = await open()
    const { cache } = subject
    await cache.set('text', 'x', long)
    await expect(cache.increment('text', long)).rejects.toThrow(TypeError)
    await cache.set('list', [1], long)
    await expect(cache.increment('list', long)).rejects.toThrow(TypeError)
    await expect(cache.set('a', undefined, long)).rejects.toThrow(TypeError)
    await expect(cache.set('a', 1, 0)).rejects.toThrow(RangeError)
    await expect(cache.set('a', 1, Number.NaN)).rejects.toThrow(RangeError)
    await expect(cache.increment('b', -1)).rejects.toThrow(RangeError)
    await expect(cache.check()).resolves.toBeUndefined()
  })
}

describe('an in-process cache', () => {
  cacheOf(async () => inProcess())
})
describe.skipIf(!redisUrl)('a cache in Redis', () => {
  cacheOf(inRedis)
})

describe('createMemoryCache', () => {
  it('expires a value to the millisecond', async () => {
    const { cache, pass } = inProcess()
    await cache.set('a', 1, 100)
    void pass(0.099)
    expect(await cache.get('a')).toBe(1)
    void pass(0.001)
    expect(await cache.get('a')).toBeUndefined()
  })

  it('evicts the least recently used entry', async () => {
    const { cache } = inProcess(2)
    await cache.set('a', 1, 100)
    await cache.set('b', 2, 100)
    await cache.get('a')
    await cache.set('c', 3, 100)
    expect(await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))).toEqual([1, undefined, 3])
  })

  it('evicts nothing when a key is overwritten', async () => {
    const { cache } = inProcess(2)
    await cache.set('a', 1, 100)
    await cache.set('b', 2, 100)
    await cache.set('b', 3, 100)
    expect(await cache.get('a')).toBe(1)
    expect(() => inProcess(0)).toThrow(RangeError)
  })
})

describe.skipIf(!redisUrl)('createSharedCache', () => {
  it('is shared by all servers', async () => {
    await using space = await openRedisSpace()
    const [one, two] = [await space.another(), await space.another()].map((redis) =>
      createSharedCache({ redis, clock: createTestClock() }),
    ) as [Cache, Cache]
    await one.set('a', 1, long)
    expect(await two.get('a')).toBe(1)
    expect(await two.increment('a', long)).toBe(2)
    await two.delete('a')
    expect(await one.get('a')).toBeUndefined()
    await one.set('b', 1, 90_500.4)
    expect(Object.keys(await space.keys())).toEqual(['cache:b'])
  })

  it('is local while Redis is unavailable, and does not return outdated values afterwards', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const redis = await space.another({ url: proxy.url, retryMs: 20 })
    const clock = createTestClock()
    const cache = createSharedCache({ redis, clock })
    const other = createSharedCache({ redis: space.redis, clock })
    for (const key of ['kept', 'changed', 'deleted']) await cache.set(key, 'old', long)
    await proxy.cut()
    await expect.poll(() => redis.up).toBe(false)
    await expect(cache.check()).rejects.toThrow(RedisAway)
    expect(await cache.get('kept')).toBeUndefined()
    await cache.set('changed', 'new', long)
    await cache.delete('deleted')
    expect(await cache.increment('n', long, 2)).toBe(2)
    expect(await cache.get('changed')).toBe('new')
    await proxy.heal()
    await expect.poll(() => redis.up, { interval: 10 }).toBe(true)
    const found = (from: Cache) =>
      Promise.all(['kept', 'changed', 'deleted', 'n'].map((key) => from.get(key)))
    expect(await found(cache)).toEqual(['old', undefined, undefined, undefined])
    expect(await found(other)).toEqual(['old', undefined, undefined, undefined])
    await expect(cache.check()).resolves.toBeUndefined()
  })
})
