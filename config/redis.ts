import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../packages/core/src/platform/log.ts'
import { createRedis } from '../packages/core/src/platform/redis-connection.ts'
import { freePort } from './postgres-server.ts'

/** A Redis in which tests may write keys of their own. */
export interface FoundRedis {
  url: string
  /** In words, for the report of a run. */
  how: string
  /** Ends the server if it was started here; a server that was found running is left alone. */
  stop(): Promise<void>
}

/** Why there is none. */
export interface NoRedis {
  url?: undefined
  reason: string
}

/**
 * Finds a Redis, in this order: `TEST_REDIS_URL`; the machine's own server on 127.0.0.1:6379; the machine's binary, started
 * on a free port. A `TEST_REDIS_URL` that does not answer is not passed over: anyone who set it wants that server.
 */
export async function findRedis(): Promise<FoundRedis | NoRedis> {
  const given = process.env['TEST_REDIS_URL']
  if (given) {
    const fault = await whyUnusable(given)
    if (fault) return { reason: `the server of TEST_REDIS_URL cannot be used: ${fault}` }
    return { url: given, how: 'TEST_REDIS_URL', stop: async () => undefined }
  }
  const own = 'redis://127.0.0.1:6379'
  const fault = await whyUnusable(own)
  if (fault === undefined) return { url: own, how: "machine's own server", stop: async () => undefined }
  const reasons = [`127.0.0.1:6379: ${fault}`]
  for (const program of ['redis-server', 'valkey-server']) {
    try {
      return { ...(await startRedis(program)), how: `${program}, started for this run` }
    } catch (error) {
      reasons.push(`${program}: ${(error as Error).message}`)
    }
  }
  return { reason: reasons.join('; ') }
}

/**
 * Starts a Redis of its own: this machine only, a free port, nothing on disk.
 * @throws Error when it does not come up
 */
export async function startRedis(program = 'redis-server'): Promise<Omit<FoundRedis, 'how'>> {
  const folder = mkdtempSync(join(tmpdir(), 'copydesk-redis-'))
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn(program, [...options, '--dir', folder], { stdio: 'ignore' })
  const last = () => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  // A run that is ended without a farewell must not leave a server behind.
  process.once('exit', last)
  const ended = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(error.message))
    server.once('exit', () => resolve('it ended at once'))
  })
  const url = `redis://127.0.0.1:${port}`
  const stop = async () => {
    process.removeListener('exit', last)
    last()
    await ended
  }
  const fault = await Promise.race([ended, untilUsable(url)])
  if (fault === undefined) return { url, stop }
  await stop()
  throw new Error(fault)
}

async function untilUsable(url: string): Promise<string | undefined> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const fault = await whyUnusable(url)
    if (fault === undefined || Date.now() > deadline) return fault
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
}

/** @returns what is wrong with the server, or undefined when it answers and takes writes */
async function whyUnusable(url: string): Promise<string | undefined> {
  const redis = createRedis({ url, log: silent, prefix: 'copydesk_test:' })
  try {
    await redis.start()
    await redis.check()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await redis.close()
  }
}
