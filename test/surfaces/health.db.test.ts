import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestApp, password, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'

const paths = ['/health', '/health/ready']
const ip = '203.0.113.9'
const ask = (app: TestApp, path: string) => app.fetch(path, {}, { ip })

describe('health', () => {
  it('answers however often it is asked, and takes nothing from the limit of other paths', async () => {
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

  it('answers to callers whose other requests are refused', async () => {
    await using app = await createTestApp({ worker: false, clock: createTestClock() })
    let refused = 200
    for (let i = 0; i < 400 && refused !== 429; i += 1) refused = (await ask(app, '/nothing')).status
    expect(refused).toBe(429)
    for (const path of paths) expect((await ask(app, path)).status, path).toBe(200)
  })

  it('asks the stores once for all who want to know, and again when a second has passed', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ worker: false, clock, allowErrors: true })
    const ready = async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(app, '/health/ready')))
      return Promise.all(answers.map(async (answer) => ((await answer.json()) as { status: string }).status))
    }
    expect(new Set(await ready())).toEqual(new Set(['ok']))
    // A file where the folder was: nothing can be written there.
    const blobs = join(app.options.dataDir, 'blobs')
    await rm(blobs, { recursive: true, force: true })
    await writeFile(blobs, '')
    expect(new Set(await ready())).toEqual(new Set(['ok']))
    clock.advance(10_000)
    expect(new Set(await ready())).toEqual(new Set(['degraded']))
    await rm(blobs)
    expect(new Set(await ready())).toEqual(new Set(['degraded']))
    clock.advance(10_000)
    expect(new Set(await ready())).toEqual(new Set(['ok']))
  })

  it('answers while passwords are being checked in a long line', async () => {
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
