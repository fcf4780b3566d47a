import { createHash } from 'node:crypto'
import type { createClient } from '@redis/client'
import { type Clock, createSystemClock } from './clock.ts'
import type { Logger } from './log.ts'

/** Where Redis is found, and how long it is waited for. */
export interface RedisSettings {
  /** `redis://` or `rediss://`, with user, password and database number where they are needed. */
  url: string
  /** Stands before every key, so that several installations share one Redis; default `copydesk:`. */
  prefix?: string
  /** Longest wait for an answer, milliseconds; default 500. */
  timeoutMs?: number
  /** Between two attempts to reach it again, milliseconds; default 1,000. */
  retryMs?: number
}

/** A Lua script; Redis runs it as one step. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** One connection to Redis, opened again by itself whenever it breaks. */
export interface Redis {
  /** False while Redis is away: whatever it is asked then is refused at once. */
  readonly up: boolean
  /** Opens the connection. Comes back when Redis answers, or when it did not in time; it is tried again from then on. */
  start(): Promise<void>
  /** Sends one command as it is. @throws {RedisAway} */
  send(...args: string[]): Promise<unknown>
  /** Runs a script; `keys` are given their prefix here. @throws {RedisAway} */
  run(script: Script, keys: readonly string[], args: ReadonlyArray<string | number>): Promise<unknown>
  /** The key as it stands in Redis. */
  key(name: string): string
  /** Calls `fn` each time Redis is there again, before anybody else can ask it something. */
  onUp(fn: () => void): void
  /** @throws Error that says why Redis cannot be used */
  check(): Promise<void>
  /** Waits for the answers that are due, for a moment, and closes the connection. */
  close(): Promise<void>
}

/** Redis does not answer, or refuses to work. Thrown without a wait once that is known. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway'
}

export function defineScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

interface Link {
  client: ReturnType<typeof createClient>
  /** Scripts that were sent in full: from then on their hash is enough. */
  known: Set<Script>
  sent: number
  answered: number
  watched: boolean
}

/** What has to work before Redis counts as there: a replica, a full one and one that forbids scripts cannot be used. */
const probe = defineScript(`return redis.call('SET', KEYS[1], '1', 'PX', 1000)`)

/** Refusals that are about the one command and say nothing about Redis. */
const ofTheCommand = /NOSCRIPT|WRONGTYPE|value is not/

/**
 * A connection to Redis on which nobody ever waits long: it is given up when an answer is late or Redis refuses to work,
 * everything that waits is refused, and so is everything until it is there again. The log says once that it went and once
 * that it is back. The client is loaded by the first `start`.
 * @throws Error when the URL is none; the URL itself, which may hold a password, is not told
 */
export function createRedis(options: RedisSettings & { log: Logger; clock?: Clock }): Redis {
  const { url, log, prefix = 'copydesk:', timeoutMs = 500, retryMs = 1_000 } = options
  // The network keeps its own time, also where an instance lives in another.
  const { clock = createSystemClock() } = options
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol)) {
    throw new Error('redis.url must be a URL that starts with redis:// or rediss://')
  }
  let link: Link | undefined
  let fault = 'it was not connected yet'
  let told = false
  let closed = false
  let opening: Promise<void> | undefined
  let stopRetry: (() => void) | undefined
  const listeners: Array<() => void> = []

  const away = (error: unknown): void => {
    fault = reasonOf(error)
    if (closed) return
    if (!told) log.warn('Redis does not answer; it is done without until it does', { reason: fault })
    told = true
    stopRetry?.()
    stopRetry = clock.after(retryMs, () => void open())
  }

  const lose = (broken: Link, error: unknown): void => {
    if (link !== broken) return
    link = undefined
    broken.client.destroy()
    away(error)
  }

  const connect = async (): Promise<Link> => {
    const { createClient } = await import('@redis/client')
    const client = createClient({
      url,
      RESP: 2,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: { connectTimeout: timeoutMs * 4, reconnectStrategy: false },
    }) as Link['client']
    const made: Link = { client, known: new Set(), sent: 0, answered: 0, watched: false }
    client.on('error', (error: unknown) => lose(made, error))
    const { promise: late, reject } = Promise.withResolvers<never>()
    const stop = clock.after(timeoutMs * 4, () => reject(new Error(`no answer within ${timeoutMs * 4} ms`)))
    try {
      const ready = client.connect().then(() => client.sendCommand(evaluate(probe, [`${prefix}probe`], [])))
      await Promise.race([ready, late])
      return made
    } catch (error) {
      client.destroy()
      throw error
    } finally {
      stop()
    }
  }

  const settle = (made: Link): void => {
    if (closed) return made.client.destroy()
    link = made
    if (told) log.info('Redis answers again')
    told = false
    for (const fn of listeners) fn()
  }

  const open = (): Promise<void> =>
    (opening ??= connect()
      .then(settle, away)
      .finally(() => (opening = undefined)))

  /** One timer for all that waits: answers come in order, so what was sent before it was set has to be answered by its end. */
  const watch = (current: Link): void => {
    if (current.watched) return
    current.watched = true
    const due = current.sent
    const look = () => {
      current.watched = false
      if (current.answered < due) lose(current, new Error(`no answer within ${timeoutMs} ms`))
      else if (current.answered < current.sent) watch(current)
    }
    // A process that was busy all the while reads first what has come meanwhile.
    clock.after(timeoutMs, () => setImmediate(look))
  }

  const send = async (args: readonly string[]): Promise<unknown> => {
    const current = link
    if (!current) throw new RedisAway(fault)
    current.sent += 1
    watch(current)
    try {
      return await current.client.sendCommand(args)
    } catch (error) {
      if (ofTheCommand.test(reasonOf(error))) throw error
      lose(current, error)
      throw new RedisAway(fault, { cause: error })
    } finally {
      current.answered += 1
    }
  }

  return {
    get up() {
      return link !== undefined
    },
    async start() {
      if (!link && !closed) await open()
    },
    send: (...args) => send(args),
    async run(script, names, args) {
      const keys = names.map((name) => prefix + name)
      const whole = evaluate(script, keys, args)
      // Sent in full the first time instead of asking for it: what comes after it stays behind it.
      if (!link?.known.has(script)) {
        link?.known.add(script)
        return send(whole)
      }
      try {
        return await send(['EVALSHA', script.sha, ...whole.slice(2)])
      } catch (error) {
        if (!reasonOf(error).includes('NOSCRIPT')) throw error
        return send(whole)
      }
    },
    key: (name) => prefix + name,
    onUp: (fn) => void listeners.push(fn),
    async check() {
      await send(['PING'])
    },
    async close() {
      closed = true
      stopRetry?.()
      const last = link
      link = undefined
      if (!last) return
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const stop = clock.after(timeoutMs, resolve)
      await Promise.race([last.client.close(), late]).catch(() => undefined)
      stop()
      last.client.destroy()
    },
  }
}

function evaluate(script: Script, keys: readonly string[], args: ReadonlyArray<string | number>): string[] {
  return ['EVAL', script.text, String(keys.length), ...keys, ...args.map(String)]
}

/** Node tells a refused connection to several addresses with a code and no words. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}
