import type { createClient } from '@redis/client'
import { type Clock, createSystemClock } from './clock.ts'
import type { Logger } from './log.ts'
import { defineScript, type Redis, RedisAway, type RedisSettings, type Script } from './redis.ts'

type RedisOptions = RedisSettings & { log: Logger; clock?: Clock }

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
 * A connection to Redis on which no one ever waits long: it is given up when an answer is late or Redis refuses to work,
 * everything that waits is refused, and so is everything until it is there again. The log says once that it went and once
 * that it is back. The client is loaded by the first `start`.
 * @throws Error when the URL is none; the URL itself, which may hold a password, is not told
 */
export function createRedis(options: RedisOptions): Redis {
  const { url } = options
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol)) {
    throw new Error('redis.url must be a URL that starts with redis:// or rediss://')
  }
  return new RedisConnection(options)
}

class RedisConnection implements Redis {
  readonly #options: Required<RedisOptions>
  #link: Link | undefined
  #fault = 'it was not connected yet'
  #told = false
  #closed = false
  #opening: Promise<void> | undefined
  #stopRetry: (() => void) | undefined
  readonly #listeners: Array<() => void> = []

  constructor(options: RedisOptions) {
    const { prefix = 'copydesk:', timeoutMs = 500, retryMs = 1_000 } = options
    // The network keeps its own time, also where an instance lives in another.
    const { clock = createSystemClock() } = options
    this.#options = { ...options, prefix, timeoutMs, retryMs, clock }
  }

  get up(): boolean {
    return this.#link !== undefined
  }

  async start(): Promise<void> {
    if (!this.#link && !this.#closed) await this.#open()
  }

  send(...args: string[]): Promise<unknown> {
    return this.#send(args)
  }

  async run(
    script: Script,
    names: readonly string[],
    args: ReadonlyArray<string | number>,
  ): Promise<unknown> {
    const keys = names.map((name) => this.key(name))
    const whole = evaluate(script, keys, args)
    // Sent in full the first time instead of asking for it: what comes after it stays behind it.
    if (!this.#link?.known.has(script)) {
      this.#link?.known.add(script)
      return this.#send(whole)
    }
    try {
      return await this.#send(['EVALSHA', script.sha, ...whole.slice(2)])
    } catch (error) {
      if (!reasonOf(error).includes('NOSCRIPT')) throw error
      return this.#send(whole)
    }
  }

  key(name: string): string {
    return this.#options.prefix + name
  }

  onUp(fn: () => void): void {
    this.#listeners.push(fn)
  }

  async check(): Promise<void> {
    await this.#send(['PING'])
  }

  async close(): Promise<void> {
    const { clock, timeoutMs } = this.#options
    this.#closed = true
    this.#stopRetry?.()
    const last = this.#link
    this.#link = undefined
    if (!last) return
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stop = clock.after(timeoutMs, resolve)
    await Promise.race([last.client.close(), late]).catch(() => undefined)
    stop()
    last.client.destroy()
  }

  #open(): Promise<void> {
    this.#opening ??= this.#connect()
      .then(
        (made) => this.#settle(made),
        (error: unknown) => this.#away(error),
      )
      .finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #connect(): Promise<Link> {
    const { url, clock, timeoutMs } = this.#options
    const { createClient } = await import('@redis/client')
    const client = createClient({
      url,
      RESP: 2,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: { connectTimeout: timeoutMs * 4, reconnectStrategy: false },
    }) as Link['client']
    const made: Link = { client, known: new Set(), sent: 0, answered: 0, watched: false }
    client.on('error', (error: unknown) => this.#lose(made, error))
    const { promise: late, reject } = Promise.withResolvers<never>()
    const stop = clock.after(timeoutMs * 4, () => reject(new Error(`no answer within ${timeoutMs * 4} ms`)))
    try {
      const ready = client.connect().then(() => client.sendCommand(evaluate(probe, [this.key('probe')], [])))
      await Promise.race([ready, late])
      return made
    } catch (error) {
      client.destroy()
      throw error
    } finally {
      stop()
    }
  }

  #settle(made: Link): void {
    if (this.#closed) return made.client.destroy()
    this.#link = made
    if (this.#told) this.#options.log.info('Redis answers again')
    this.#told = false
    for (const fn of this.#listeners) fn()
  }

  #lose(broken: Link, error: unknown): void {
    if (this.#link !== broken) return
    this.#link = undefined
    broken.client.destroy()
    this.#away(error)
  }

  #away(error: unknown): void {
    const { clock, log, retryMs } = this.#options
    this.#fault = reasonOf(error)
    if (this.#closed) return
    if (!this.#told)
      log.warn('Redis does not answer; it is done without until it does', { reason: this.#fault })
    this.#told = true
    this.#stopRetry?.()
    this.#stopRetry = clock.after(retryMs, () => void this.#open())
  }

  async #send(args: readonly string[]): Promise<unknown> {
    const current = this.#link
    if (!current) throw new RedisAway(this.#fault)
    current.sent += 1
    this.#watch(current)
    try {
      return await current.client.sendCommand(args)
    } catch (error) {
      if (ofTheCommand.test(reasonOf(error))) throw error
      this.#lose(current, error)
      throw new RedisAway(this.#fault, { cause: error })
    } finally {
      current.answered += 1
    }
  }

  /** One timer for all that waits: answers come in order, so what was sent before it was set has to be answered by its end. */
  #watch(current: Link): void {
    if (current.watched) return
    const { clock, timeoutMs } = this.#options
    current.watched = true
    const due = current.sent
    const look = () => {
      current.watched = false
      if (current.answered < due) this.#lose(current, new Error(`no answer within ${timeoutMs} ms`))
      else if (current.answered < current.sent) this.#watch(current)
    }
    // A process that was busy all the while reads first what has come meanwhile.
    clock.after(timeoutMs, () => setImmediate(look))
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
