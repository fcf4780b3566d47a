import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../kit/app.ts'
import { openRedisSpace, type RedisSpace, redisUrl } from '../kit/redis.ts'
import { startServing } from '../kit/serving.ts'

/** One server in a process of its own, on the database of `app`; killed when it is disposed. */
async function startServer(app: TestApp, space: RedisSpace, leaseMs: number) {
  const { log: _log, clock: _clock, onUndeclaredError: _told, ...options } = app.options
  const redis = { url: space.url, prefix: space.prefix, leaseMs, timeoutMs: 5_000 }
  const { child, port } = await startServing({
    options: { ...options, worker: false, redis },
    port: 0,
    log: 'warn',
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const url = `http://127.0.0.1:${port}`
  return {
    kill,
    ask: (path: string, headers: Record<string, string>) => fetch(`${url}${path}`, { headers }),
    /** Opens the stream of everything that happens and leaves it open. */
    watch: (token: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` }
        get(`${url}/dashboard/v1/events/stream`, { headers }, (response) => {
          response.on('error', () => undefined)
          resolve(response)
        }).on('error', reject)
      }),
    [Symbol.asyncDispose]: kill,
  }
}

describe.skipIf(!redisUrl)('two servers on one Redis', () => {
  it('enforce one limit together for 200 concurrent requests', { timeout: 60_000 }, async () => {
    await using space = await openRedisSpace()
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    await using a = await startServer(app, space, 15_000)
    await using b = await startServer(app, space, 15_000)
    const call = async (path: string, headers: Record<string, string>) => {
      const answers: Array<{ code: string; remaining: number; retryAfter: number }> = []
      const callers = Array.from({ length: 200 }, async (_, caller) => {
        for (let i = 0; i < 2; i += 1) {
          const response = await ((caller + i) % 2 === 0 ? a : b).ask(path, headers)
          const body = (await response.json()) as { error?: { code: string } }
          const number = (name: string) => Number(response.headers.get(name))
          const code = body.error?.code ?? String(response.status)
          answers.push({
            code,
            remaining: number('x-ratelimit-remaining'),
            retryAfter: number('retry-after'),
          })
        }
      })
      await Promise.all(callers)
      return answers
    }
    // By user; what the cap of ten at a time refuses was counted too.
    const byUser = await call('/dashboard/v1/campaigns', { authorization: `Bearer ${adminToken}` })
    const refused = byUser.filter(({ code }) => code === 'RATE_LIMITED')
    expect(new Set(byUser.map(({ code }) => code))).toEqual(new Set(['200', 'RATE_LIMITED', 'THROTTLED']))
    expect(byUser.length - refused.length).toBe(360)
    for (const { remaining, retryAfter } of refused) {
      expect(remaining).toBe(0)
      expect(retryAfter).toBeGreaterThan(0)
      expect(retryAfter).toBeLessThanOrEqual(60)
    }
    // By address, without a credential.
    const byAddress = await call('/nothing', { 'x-forwarded-for': '203.0.113.7' })
    expect(byAddress.filter(({ code }) => code === 'NOT_FOUND')).toHaveLength(360)
    expect((await b.ask('/nothing', { 'x-forwarded-for': '203.0.113.8' })).status).toBe(404)
  })

  it('free the stream slots of a killed one when their lease expires', { timeout: 60_000 }, async () => {
    await using space = await openRedisSpace()
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    await using a = await startServer(app, space, 3_000)
    await using b = await startServer(app, space, 3_000)
    const statuses: Array<number | undefined> = []
    for (const server of [a, b, a, b, a, b]) statuses.push((await server.watch(adminToken)).statusCode)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    await a.kill()
    let opened = 0
    const open = async () => {
      if ((await b.watch(adminToken)).statusCode === 200) opened += 1
      return opened
    }
    // The two of the other server stay taken.
    await expect.poll(open, { timeout: 10_000, interval: 50 }).toBe(3)
    expect((await b.watch(adminToken)).statusCode).toBe(429)
  })
})
