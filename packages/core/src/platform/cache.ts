import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/**
 * A cache of JSON values under string keys, in process or on a server. Anyone who writes a key names the owner in it;
 * the cache itself knows none. A value read is always a fresh copy.
 */
export interface Cache {
  /** The value, or undefined where there is none or its time is over. */
  get<T>(key: string): Promise<T | undefined>
  /** Keeps a JSON value for `ttlMs` milliseconds. @throws {TypeError} for a value that JSON has no form for */
  set(key: string, value: unknown, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  /**
   * Adds `by` (default 1) to a counter and returns the sum. The first call starts it at zero and gives it `ttlMs`;
   * later ones leave its end where it is. @throws {TypeError} where the key holds something else than a number
   */
  increment(key: string, ttlMs: number, by?: number): Promise<number>
  /** @throws Error where the cache is on a server that cannot be used */
  check(): Promise<void>
}

interface Entry {
  json: string
  /** Milliseconds since the Unix epoch. */
  endsAt: number
}

/**
 * A cache in this process: it holds `maxEntries` (default 10,000) and drops the one that was not asked for longest.
 * Values are kept as JSON text, so no one shares an object, and a cache on a server behaves alike.
 */
export function createMemoryCache(options: { clock: Clock; maxEntries?: number }): Cache {
  const { clock, maxEntries = 10_000 } = options
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new RangeError(`maxEntries: expected 1 or more, got ${maxEntries}.`)
  }
  // Counted by size: it takes room as it fills. With `max` it takes that of all entries at once.
  const entries = new LRUCache<string, Entry>({ maxSize: maxEntries, sizeCalculation: () => 1 })

  const find = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    return entry && entry.endsAt > clock.now() ? entry : undefined
  }

  return {
    async get<T>(key: string) {
      const entry = find(key)
      return entry && (JSON.parse(entry.json) as T)
    },
    async set(key, value, ttlMs) {
      entries.set(key, { json: toJson(key, value), endsAt: clock.now() + lifetime(ttlMs) })
    },
    async delete(key) {
      entries.delete(key)
    },
    async increment(key, ttlMs, by = 1) {
      const entry = find(key)
      const before: unknown = entry ? JSON.parse(entry.json) : 0
      if (typeof before !== 'number') throw new TypeError(`Cache key "${key}" does not hold a number.`)
      const sum = before + by
      entries.set(key, { json: JSON.stringify(sum), endsAt: entry?.endsAt ?? clock.now() + lifetime(ttlMs) })
      return sum
    },
    async check() {},
  }
}

/** @throws {TypeError} for a value that JSON has no form for */
export function toJson(key: string, value: unknown): string {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError(`Cache key "${key}": the value has no JSON form.`)
  return json
}

/** @throws {RangeError} for what is no span of time */
export function lifetime(ttlMs: number): number {
  if (ttlMs > 0 && Number.isFinite(ttlMs)) return ttlMs
  throw new RangeError(`ttlMs: expected a positive number of milliseconds, got ${ttlMs}.`)
}
