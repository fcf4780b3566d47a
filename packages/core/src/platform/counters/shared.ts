import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { type Redis, RedisAway } from '../redis.ts'
import { type Counters, createMemoryCounters } from './counters.ts'
import { enterScript, hitScript, renewScript } from './scripts.ts'

export interface SharedCountersOptions {
  redis: Redis
  clock: Clock
  log: Logger
  /** How long a place outlives a server that died with it, milliseconds; default 15,000. */
  leaseMs?: number
  /**
   * Whose time counts. Servers differ by milliseconds and more, so it is that of Redis, unless all of them live in one
   * time of their own.
   */
  time?: 'redis' | 'clock'
}

/** Places that one command renews. */
const renewedAtOnce = 500

/**
 * Counts that several servers share. A window admits exactly what its rule says, anyone who asks where. A place is a member
 * of a sorted set with the end of its lease; the server that took it renews all of its places together, three times a
 * lease. As long as Redis is away each server counts for itself; when it is back, the places that are still taken are
 * entered again.
 */
export function createSharedCounters(options: SharedCountersOptions): Counters {
  const { redis, clock, log, leaseMs = 15_000, time = 'redis' } = options
  const alone = createMemoryCounters(clock)
  const node = randomBytes(9).toString('base64url')
  /** Members by key, of every place that was taken here, with or without Redis. */
  const held = new Map<string, string[]>()
  let taken = 0
  let beating = false
  const now = () => (time === 'redis' ? '' : clock.now())

  const explain = (key: string, error: unknown): void => {
    if (!(error instanceof RedisAway)) log.error('A counter in Redis cannot be used', { key, error })
  }

  const renew = (): void => {
    const places = [...held].flatMap(([key, members]) => members.map((member) => ({ key, member })))
    for (let i = 0; i < places.length && redis.up; i += renewedAtOnce) {
      const some = places.slice(i, i + renewedAtOnce)
      const keys = some.map(({ key }) => key)
      const members = some.map(({ member }) => member)
      redis
        .run(renewScript, keys, [now(), leaseMs, ...members])
        .catch((error: unknown) => explain(keys[0] ?? '', error))
    }
  }

  /** Stands still while nothing is taken. */
  const beat = (): void => {
    beating = held.size > 0
    if (!beating) return
    renew()
    clock.after(leaseMs / 3, beat)
  }

  const hold = (key: string, member: string): true => {
    const members = held.get(key)
    if (members) members.push(member)
    else held.set(key, [member])
    if (!beating) clock.after(leaseMs / 3, beat)
    beating = true
    return true
  }

  const enterAlone = (key: string, max: number, member: string): boolean =>
    (held.get(key)?.length ?? 0) < max && hold(key, member)

  redis.onUp(renew)

  return {
    hit(key, rule) {
      if (!redis.up) return alone.hit(key, rule)
      return redis.run(hitScript, [key], [now(), rule.limit + rule.burst, rule.windowMs]).then(
        (reply) => {
          const [admitted, used, resetIn] = reply as [number, number, number]
          return { admitted: admitted === 1, used, resetAt: clock.now() + resetIn }
        },
        (error: unknown) => {
          explain(key, error)
          return alone.hit(key, rule)
        },
      )
    },
    enter(key, max) {
      const member = `${node}:${++taken}`
      if (!redis.up) return enterAlone(key, max, member)
      return redis.run(enterScript, [key], [now(), max, leaseMs, member]).then(
        (entered) => entered === 1 && hold(key, member),
        (error: unknown) => {
          explain(key, error)
          // Redis may have entered it all the same: under the same name it is one place, not two.
          return enterAlone(key, max, member)
        },
      )
    },
    leave(key) {
      const members = held.get(key)
      const member = members?.pop()
      if (members?.length === 0) held.delete(key)
      if (member === undefined || !redis.up) return
      redis.send('ZREM', redis.key(key), member).catch((error: unknown) => explain(key, error))
    },
  }
}
