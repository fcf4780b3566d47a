import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../kit/app.ts'
import { createLogRecorder, openRedisProxy, openRedisSpace, redisUrl } from '../kit/redis.ts'

const readiness = async (app: TestApp) => {
  const response = await app.fetch('/health/ready')
  const { status, checks } = (await response.json()) as { status: string; checks: Record<string, string> }
  return { http: response.status, status, cache: checks['cache'], database: checks['relational_store'] }
}

const well = { http: 200, status: 'ok', cache: 'ok', database: 'ok' }
const degraded = { http: 200, status: 'degraded', cache: 'error', database: 'ok' }

describe('health.ready', () => {
  it.skipIf(!redisUrl)('reports an unavailable Redis as such, and everything else works', async () => {
    await using space = await openRedisSpace()
    await using proxy = await openRedisProxy()
    const { log, lines } = createLogRecorder()
    const redis = { url: proxy.url, prefix: space.prefix, retryMs: 20, timeoutMs: 5_000 }
    await using app = await createTestApp({ redis, log })
    const { admin } = await app.team()
    const work = () => admin.call('dashboard', 'GET /campaigns')
    const finding = async () => (await app.copydesk.doctor()).find(({ name }) => name === 'Redis')
    const told = () => lines.filter(({ message }) => message.startsWith('Redis')).map(({ level }) => level)
    expect(await readiness(app)).toEqual(well)
    expect(await finding()).toMatchObject({ ok: true })
    expect((await work()).data).toEqual([])
    expect(Object.keys(await space.keys()).some((key) => key.startsWith('rate:dashboard:'))).toBe(true)

    await proxy.cut()
    await app.until(async () => (await readiness(app)).cache === 'error', 'the cache is away')
    for (let i = 0; i < 20; i += 1) expect((await work()).data).toEqual([])
    expect(await readiness(app)).toEqual(degraded)
    expect(await finding()).toMatchObject({ ok: false, remedy: expect.stringContaining('redis.url') })
    expect((await app.fetch('/health')).status).toBe(200)

    await proxy.heal()
    await app.until(async () => (await readiness(app)).cache === 'ok', 'the cache is back')
    expect(await readiness(app)).toEqual(well)
    expect((await work()).data).toEqual([])
    expect(told()).toEqual(['warn', 'info'])
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('does not mention Redis when none is configured', async () => {
    await using app = await createTestApp()
    expect(await readiness(app)).toEqual(well)
    expect((await app.copydesk.doctor()).map(({ name }) => name)).not.toContain('Redis')
  })
})
