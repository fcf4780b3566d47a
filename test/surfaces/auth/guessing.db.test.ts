import { describe, expect, it } from 'vitest'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { nthMail, tokenIn } from '../../kit/mail.ts'
import { admin, member, send } from './accounts.ts'

const quarter = 15 * 60_000
const home = '192.0.2.1'

/** Somewhere that no one has logged in from. */
const elsewhere = (n: number) => `198.51.${100 + Math.floor(n / 250)}.${n % 250}`

const logIn = (app: TestApp, ip: string, given = password, email = admin) =>
  send(app, 'POST /login', { body: { email, password: given, app: 'dashboard' }, ip })

/** Guesses, each from another address. @returns the statuses */
async function guess(app: TestApp, times: number, email = admin): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1)
    statuses.push((await logIn(app, elsewhere(n), 'Wrong-horse-1', email)).status)
  return statuses
}

const refusedAfter20 = [...Array.from({ length: 20 }, () => 401), 429]

describe('guessing at one account from many addresses', () => {
  it('is limited to twenty attempts in 15 minutes, including the right password', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await app.team()
    clock.advance(quarter)
    expect(await guess(app, 21)).toEqual(refusedAfter20)
    const refused = await logIn(app, elsewhere(30))
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect((await logIn(app, elsewhere(31), 'Wrong-horse-1', member)).status).toBe(401)
    clock.advance(quarter)
    expect((await logIn(app, elsewhere(30))).status).toBe(200)
  })

  it('does not lock out the owner at an address used before', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await app.team()
    expect((await logIn(app, home)).status).toBe(200)
    expect((await logIn(app, '2001:db8:1:2:aaaa::1')).status).toBe(200)
    clock.advance(quarter)
    expect(await guess(app, 21)).toEqual(refusedAfter20)
    expect((await logIn(app, home)).status).toBe(200)
    // Another device of the same household.
    expect((await logIn(app, '2001:db8:1:2:bbbb::9')).status).toBe(200)
    expect((await logIn(app, '2001:db8:1:3::1')).status).toBe(429)
    // Another process, and one that was restarted, knows it too.
    const later = await app.another()
    const request = new Request('http://copydesk.test/auth/v1/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: admin, password, app: 'dashboard' }),
    })
    expect((await later.fetch(request, { ip: home })).status).toBe(200)
  })

  it('is reset by a password reset, which also forgets the known addresses', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    expect((await logIn(app, home)).status).toBe(200)
    expect(await guess(app, 20)).toContain(401)
    await send(app, 'POST /forgot-password', { body: { email: admin } })
    const token = tokenIn(await nthMail(app, 1))
    const abroad = '203.0.113.7'
    expect((await logIn(app, abroad)).status).toBe(429)
    const newPassword = 'Another-horse-2'
    expect(
      (await send(app, 'POST /reset-password', { body: { token, newPassword }, ip: abroad })).status,
    ).toBe(204)
    expect((await logIn(app, abroad, newPassword)).status).toBe(200)
    expect((await logIn(app, home, newPassword)).status).toBe(429)
  })

  it('does not reveal whether there is an account', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await app.team()
    clock.advance(quarter)
    const nobody = 'nobody@test.example'
    expect(await guess(app, 21, nobody)).toEqual(await guess(app, 21))
    const [one, other] = [await logIn(app, home, password, nobody), await logIn(app, home)]
    expect(one.text).toBe(other.text)
    expect(one.headers.get('retry-after')).toBe(other.headers.get('retry-after'))
  })

  it('stores no address in plain text', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    await logIn(app, home)
    const rows = await app.db.sql.all<{ network: string }>('select * from known_logins')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(home)
  })
})

describe('many concurrent logins', () => {
  it('are answered 429 THROTTLED with Retry-After 1 beyond the hashing capacity, and succeed afterwards', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        logIn(app, elsewhere(n), 'Wrong-horse-1', `user.${n}@test.example`),
      ),
    )
    const throttled = answers.filter(({ status }) => status === 429)
    expect(throttled.length).toBeGreaterThan(0)
    for (const { headers, json } of throttled) {
      expect(json.error.code).toBe('THROTTLED')
      expect(headers.get('retry-after')).toBe('1')
    }
    const rest = answers.filter(({ status }) => status !== 429)
    expect(rest.length).toBeGreaterThanOrEqual(52)
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await logIn(app, home)).status).toBe(200)
  })
})
