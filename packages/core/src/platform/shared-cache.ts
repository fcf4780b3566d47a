import { type Cache, createMemoryCache, lifetime, toJson } from './cache.ts'
import type { Clock } from './clock.ts'
import { defineScript, type Redis, RedisAway } from './redis.ts'

/** Adds to a number and gives it its end when it is new. Arguments: milliseconds, what to add. */
const incrementScript = defineScript(`
local isNew = redis.call('EXISTS', KEYS[1]) == 0
local sum = redis.call('INCRBYFLOAT', KEYS[1], ARGV[2])
if isNew then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return sum
`)

/** Keys to be forgotten when Redis is back; with more than these the rest keeps its old value until its time is over. */
const maxStale = 10_000

/**
 * A cache that several servers share. As long as Redis is away it is one of this process; what was written meanwhile is
 * forgotten when Redis is back, on both sides, so that no old value returns.
 */
export function createSharedCache({ redis, clock }: { redis: Redis; clock: Clock }): Cache {
  let alone: Cache | undefined
  const stale = new Set<string>()

  redis.onUp(() => {
    alone = undefined
    const keys = [...stale]
    stale.clear()
    // Redis keeps the order, so no one here reads an old value before this; lost again, they are kept for the next time.
    if (keys.length > 0) redis.send('UNLINK', ...keys.map(nameOf)).catch(() => keys.forEach(outdate))
  })

  const nameOf = (key: string) => redis.key(`cache:${key}`)
  const outdate = (key: string): void => {
    if (stale.size < maxStale) stale.add(key)
  }
  const ask = async <T>(shared: () => Promise<T>, instead: (cache: Cache) => Promise<T>): Promise<T> => {
    try {
      if (redis.up) return await shared()
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error
    }
    return instead((alone ??= createMemoryCache({ clock })))
  }
  const write = <T>(key: string, shared: () => Promise<T>, instead: (cache: Cache) => Promise<T>) =>
    ask(shared, (cache) => {
      outdate(key)
      return instead(cache)
    })

  return {
    get: <T>(key: string) =>
      ask(
        async () => {
          const json = (await redis.send('GET', nameOf(key))) as string | null
          return json === null ? undefined : (JSON.parse(json) as T)
        },
        (cache) => cache.get<T>(key),
      ),
    async set(key, value, ttlMs) {
      const json = toJson(key, value)
      const ms = String(Math.ceil(lifetime(ttlMs)))
      await write(
        key,
        async () => void (await redis.send('SET', nameOf(key), json, 'PX', ms)),
        (cache) => cache.set(key, value, ttlMs),
      )
    },
    delete: (key) =>
      write(
        key,
        async () => void (await redis.send('UNLINK', nameOf(key))),
        (cache) => cache.delete(key),
      ),
    async increment(key, ttlMs, by = 1) {
      const ms = Math.ceil(lifetime(ttlMs))
      return write(
        key,
        async () => {
          try {
            return Number(await redis.run(incrementScript, [`cache:${key}`], [ms, by]))
          } catch (error) {
            if (error instanceof RedisAway) throw error
            throw new TypeError(`Cache key "${key}" does not hold a number.`, { cause: error })
          }
        },
        (cache) => cache.increment(key, ttlMs, by),
      )
    },
    check: () => redis.check(),
  }
}
