import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { version } from '../../packages/core/src/platform/version.ts'
import { createTestApp, password, signingKeys, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createTestTokens } from '../kit/test-tokens.ts'

const paths = ['/health', '/health/ready']
const ip = '203.0.113.9'
const anyone = '01HZZZZZZZZZZZZZZZZZZZZZZZ'
const ask = (app: TestApp, path: string) => app.fetch(path, {}, { ip })

describe('health.live and health.ready', () => {
  it('are not rate-limited, and do not count for other paths', async () => {
    await using app = await createTestApp({ worker: false, clock: createTestClock() })
    for (const path of paths) {
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => ask(app, path)))
      expect(new Set(answers.map(({ status }) => status)), path).toEqual(new Set([200]))
      for (const { headers } of [answers[0], answers[999]] as Response[]) {
        const shown = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
        expect(shown, path).toEqual(['300', '300', expect.stringMatching(/^\d+$/)])
      }
    }
    const other = await ask(app, '/nothing')
    expect([other.status, other.headers.get('x-ratelimit-remaining')]).toEqual([404, '299'])
  })

  it('respond to callers whose other requests are rejected', async () => {
    await using app = await createTestApp({ worker: false, clock: createTestClock() })
    let refused = 200
    for (let i = 0; i < 400 && refused !== 429; i += 1) refused = (await ask(app, '/nothing')).status
    expect(refused).toBe(429)
    for (const path of paths) expect((await ask(app, path)).status, path).toBe(200)
  })

  it('respond while many passwords are being hashed', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    await ask(app, '/health/ready')
    let done = 0
    const logins = Array.from({ length: 40 }, async (_, n) => {
      const body = JSON.stringify({ email: `nobody.${n}@test.example`, password, app: 'dashboard' })
      const headers = { 'content-type': 'application/json' }
      await app.fetch('/auth/v1/login', { method: 'POST', headers, body }, { ip: `203.0.113.${n}` })
      done += 1
    })
    for (const path of paths) expect((await ask(app, path)).status, path).toBe(200)
    expect(done).toBeLessThan(40)
    await Promise.all(logins)
  })
})

/** A file where the folder of files was: nothing can be written there. */
async function breakFolder(app: TestApp): Promise<string> {
  const blobs = join(app.options.dataDir, 'blobs')
  await rm(blobs, { recursive: true, force: true })
  await writeFile(blobs, '')
  return blobs
}

describe('health.live', () => {
  it('returns ok with the version while the process responds, whatever the state of the stores', async () => {
    await using app = await createTestApp({ worker: false, allowErrors: true })
    await breakFolder(app)
    const live = await ask(app, '/health')
    expect([live.status, await live.json()]).toEqual([200, { status: 'ok', version }])
    expect(await (await ask(app, '/health/ready')).json()).toMatchObject({ status: 'degraded' })
  })
})

describe('health.ready', () => {
  it('checks the stores once for concurrent requests, and again after a second', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ worker: false, clock, allowErrors: true })
    const ready = async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(app, '/health/ready')))
      return Promise.all(answers.map(async (answer) => ((await answer.json()) as { status: string }).status))
    }
    expect(new Set(await ready())).toEqual(new Set(['ok']))
    const blobs = await breakFolder(app)
    expect(new Set(await ready())).toEqual(new Set(['ok']))
    clock.advance(10_000)
    expect(new Set(await ready())).toEqual(new Set(['degraded']))
    await rm(blobs)
    expect(new Set(await ready())).toEqual(new Set(['degraded']))
    clock.advance(10_000)
    expect(new Set(await ready())).toEqual(new Set(['ok']))
  })
})

describe('health.arrival', () => {
  it('returns how the request arrived, to callers with the keys: directly, or through a trusted proxy', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ worker: false, clock })
    const token = createTestTokens({ signingKeys, clock }).sign('arrival', { sub: anyone })
    const arrive = async (from: string, headers: Record<string, string> = {}) =>
      (await app.fetch(`/health/arrival/${token}`, { headers }, { ip: from })).json()
    expect(await arrive(ip)).toEqual({ remote: ip, viaProxy: false, forwardedFor: null, ip })
    const forwarded = { 'x-forwarded-for': '198.51.100.7' }
    const direct = { remote: ip, viaProxy: false, forwardedFor: '198.51.100.7', ip }
    expect(await arrive(ip, forwarded)).toEqual(direct)
    const proxied = { remote: '127.0.0.1', viaProxy: true, forwardedFor: '198.51.100.7', ip: '198.51.100.7' }
    expect(await arrive('127.0.0.1', forwarded)).toEqual(proxied)
  })

  it('rejects an expired token, one signed with another key and one for another purpose', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ worker: false, clock })
    const { adminToken } = await app.team()
    const tokens = createTestTokens({ signingKeys, clock })
    const others = createTestTokens({ signingKeys: [{ id: 's1', secret: 'x'.repeat(40) }], clock })
    const token = tokens.sign('arrival', { sub: anyone })
    const arrive = async (given: string) => {
      const answer = await ask(app, `/health/arrival/${given}`)
      const { error } = (await answer.json()) as { error?: { code: string } }
      return `${answer.status} ${error?.code ?? ''}`.trim()
    }
    for (const other of ['x', adminToken, others.sign('arrival', { sub: anyone })])
      expect(await arrive(other)).toBe('401 INVALID_TOKEN')
    expect(await arrive(token)).toBe('200')
    clock.advance(60_000)
    expect(await arrive(token)).toBe('401 TOKEN_EXPIRED')
  })
})
