import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { LogFields, Logger } from '../../packages/core/src/platform/log.ts'
import { defineScript, type Redis } from '../../packages/core/src/platform/redis.ts'
import { createRedis } from '../../packages/core/src/platform/redis-connection.ts'

/** The Redis of this run; empty where none could be had, which the head of the run's output says. */
export const redisUrl = process.env['COPYDESK_TEST_REDIS'] ?? ''

let spaces = 0

/** Keys of one test, which are gone when it is over. */
export interface RedisSpace extends AsyncDisposable {
  url: string
  prefix: string
  /** A connection of the test's own. */
  redis: Redis
  /** One more connection to the same keys, as another server has one; closed together with the first. */
  another(options?: { url?: string; timeoutMs?: number; retryMs?: number; log?: Logger }): Promise<Redis>
  /** Every key, without the prefix, and the milliseconds that it still has. */
  keys(): Promise<Record<string, number>>
  /** Lets the keys grow older, as far as Redis itself forgets them. */
  age(ms: number): Promise<void>
}

export async function openRedisSpace(): Promise<RedisSpace> {
  const prefix = `${process.env['COPYDESK_TEST_PREFIX']}${process.pid}_${++spaces}:`
  const opened: Redis[] = []
  const another: RedisSpace['another'] = async (options = {}) => {
    // Patient, so that a busy machine is not taken for a Redis that went away.
    const made = createRedis({
      url: redisUrl,
      prefix,
      log: createLogRecorder().log,
      timeoutMs: 5_000,
      ...options,
    })
    opened.push(made)
    await made.start()
    return made
  }
  const redis = await another()
  const list = async () => {
    const found: string[] = []
    let cursor = '0'
    do {
      const [next, some] = (await redis.send('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', '1000')) as [
        string,
        string[],
      ]
      cursor = next
      found.push(...some)
    } while (cursor !== '0')
    return found.map((key) => key.slice(prefix.length)).filter((key) => key !== 'probe')
  }
  return {
    url: redisUrl,
    prefix,
    redis,
    another,
    async keys() {
      const entries = (await list()).map(
        async (key) => [key, Number(await redis.send('PTTL', prefix + key))] as const,
      )
      return Object.fromEntries(await Promise.all(entries))
    },
    async age(ms) {
      for (const key of await list()) await redis.run(age, [key], [ms])
    },
    async [Symbol.asyncDispose]() {
      for (const key of await list()) await redis.send('UNLINK', prefix + key)
      for (const one of opened) await one.close()
    },
  }
}

const age = defineScript(`
local left = redis.call('PTTL', KEYS[1]) - tonumber(ARGV[1])
if left <= 0 then return redis.call('DEL', KEYS[1]) end
return redis.call('PEXPIRE', KEYS[1], left)
`)

/** A proxy between a server and its Redis, with which a test can interrupt the connection. */
export interface RedisProxy extends AsyncDisposable {
  url: string
  /** Breaks the connections off and refuses new ones, as a Redis does that is stopped. */
  cut(): Promise<void>
  /** Takes everything and answers nothing, as a machine does that has lost its network. */
  hang(): void
  /** Lets everything through again. */
  heal(): Promise<void>
}

export async function openRedisProxy(): Promise<RedisProxy> {
  const behind = new URL(redisUrl)
  const sockets = new Set<Socket>()
  let hangs = false
  const server = createServer((near) => {
    const far = connect(Number(behind.port || 6379), behind.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => void (hangs || to.write(chunk)))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => from.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(redisUrl)
  url.host = `127.0.0.1:${port}`
  const breakOff = () => sockets.forEach((socket) => socket.destroy())
  const cut = async () => {
    breakOff()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: url.href,
    cut,
    hang: () => void (hangs = true),
    async heal() {
      // What was swallowed must not be followed by what comes after it.
      if (hangs) breakOff()
      hangs = false
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening')
    },
    [Symbol.asyncDispose]: cut,
  }
}

export interface LogLine extends LogFields {
  level: string
  message: string
}

/** A logger that keeps its lines. */
export function createLogRecorder(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, ...fields })
  const log: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  }
  return { log, lines }
}
