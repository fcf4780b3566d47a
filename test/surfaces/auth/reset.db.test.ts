import { describe, expect, it } from 'vitest'
import { resetPassword } from '../../../packages/core/src/domain/accounts/identity/password-reset.ts'
import { createTokens } from '../../../packages/core/src/domain/accounts/identity/tokens.ts'
import { parts } from '../../domain/agents.ts'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, signingKeys, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { nthMail, tokenIn } from '../../kit/mail.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'
import { admin, audits, claimsOf, logIn, member, send, session, traces } from './accounts.ts'

const next = 'Another-horse-2'
const minute = 60_000
const everything = [...traces, 'audit_records']

const forgot = (app: TestApp, email: string) => send(app, 'POST /forgot-password', { body: { email } })
const reset = (app: TestApp, token: string, newPassword = next) =>
  send(app, 'POST /reset-password', { body: { token, newPassword } })

/** Asks for a link and reads the mail, the `count`th of all. */
async function linkFor(app: TestApp, email = admin, count = 1): Promise<string> {
  await forgot(app, email)
  return tokenIn(await nthMail(app, count))
}

const worthless = { status: 400, json: { error: { code: 'VALIDATION_ERROR', field: 'token' } } }

describe('auth.password.reset', () => {
  it('replaces the password with the token of the mailed link, and ends all sessions', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, mail: { links: 'https://app.test.example/people/' } })
    const { adminToken, adminId, tenantId } = await app.team()
    const { refreshToken } = await session(app)
    const neighbour = await session(app, member)
    const asked = await forgot(app, ` ${admin.toUpperCase()}`)
    expect([asked.status, asked.text]).toEqual([204, ''])
    const mail = await nthMail(app, 1)
    expect(mail).toMatchObject({ to: admin, subject: 'Choose a new password for Copydesk' })
    const token = tokenIn(mail)
    expect(mail.text).toContain(`\nhttps://app.test.example/people/reset-password?token=${token}\n`)
    expect(mail.html).toContain(`href="https://app.test.example/people/reset-password?token=${token}"`)
    const done = await reset(app, token)
    expect([done.status, done.text]).toEqual([204, ''])
    expect([(await logIn(app, admin, next)).status, (await logIn(app, admin, password)).status]).toEqual([
      200, 401,
    ])
    expect((await send(app, 'GET /me', { token: adminToken })).status).toBe(401)
    expect((await send(app, 'POST /refresh', { body: { refreshToken } })).status).toBe(401)
    expect((await send(app, 'GET /me', { token: neighbour.accessToken })).status).toBe(200)
    expect(await nthMail(app, 2)).toMatchObject({ to: admin, subject: 'Your Copydesk password has changed' })
    expect(await audits(app, 'auth.password.reset')).toMatchObject([
      { actor_id: adminId, tenant_id: tenantId, resource_type: 'user', resource_id: adminId, status: 204 },
    ])
    expect(await audits(app, 'auth.password.reset_request')).toMatchObject([
      { actor_id: 'system', tenant_id: tenantId, resource_id: adminId },
    ])
    const kept = JSON.stringify(await contents(app, everything))
    for (const secret of [token, password, next]) expect(kept).not.toContain(secret)
  })

  it('rejects a link that was used, has expired, or precedes a password change, and changes nothing', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const { adminToken } = await app.team()
    const used = await linkFor(app)
    expect((await reset(app, used)).status).toBe(204)
    await nthMail(app, 2)
    const texts = new Set<string>()
    const tryWith = async (token: string) => {
      const before = await contents(app, everything)
      const answer = await reset(app, token)
      expect(answer).toMatchObject(worthless)
      texts.add(answer.text)
      expect(await contents(app, everything)).toEqual(before)
    }
    await tryWith(used)
    clock.advance(20 * minute)
    const late = await linkFor(app, admin, 3)
    clock.advance(60 * minute)
    await tryWith(late)
    const overtaken = await linkFor(app, admin, 4)
    const { accessToken } = await session(app, admin, next)
    await app.clientFor(accessToken).call('auth', 'PATCH /me/password', {
      body: { currentPassword: next, newPassword: password },
    })
    await nthMail(app, 5)
    await tryWith(overtaken)
    const tokens = createTestTokens({ signingKeys, clock })
    const { sub, jti } = await createTokens({ signingKeys, clock }).verify(overtaken, 'reset')
    const foreign = createTestTokens({ signingKeys: [{ id: 's1', secret: 'x'.repeat(32) }], clock })
    await tryWith(tokens.sign('reset', { sub, jti: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }))
    await tryWith(foreign.sign('reset', { sub, jti }))
    await tryWith(tokens.sign('registration', { sub }))
    for (const token of [adminToken, accessToken, 'garbage', overtaken.slice(0, -2)]) await tryWith(token)
    expect(texts.size).toBe(1)
  })

  it.each([
    ['users', 'suspended'],
    ['tenants', 'suspended'],
  ])('rejects the link to %s that were %s after the e-mail', async (table, status) => {
    await using app = await createTestApp()
    await app.team()
    const token = await linkFor(app)
    await app.db.write((tx) => tx.run(`update ${table} set status = ?`, [status]))
    expect(await reset(app, token)).toMatchObject(worthless)
    await app.db.write((tx) => tx.run(`update ${table} set status = 'active'`))
    expect((await reset(app, token)).status).toBe(204)
  })

  it('accepts a link once when it is used concurrently on two servers', async () => {
    await using app = await createTestApp()
    await app.team()
    const other = await app.another({ worker: false })
    const token = await linkFor(app)
    const init = (newPassword: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, newPassword }),
    })
    const answers = await Promise.all([
      app.fetch('/auth/v1/reset-password', init('First-horse-11')),
      other.fetch(new Request('http://copydesk.test/auth/v1/reset-password', init('Second-horse-22'))),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 400])
    const won = statuses[0] === 204 ? 'First-horse-11' : 'Second-horse-22'
    expect((await logIn(app, admin, won)).status).toBe(200)
  })

  it('rejects access tokens before the event of the session’s end is processed', async () => {
    await using app = await createTestApp()
    await app.team()
    const { accessToken } = await session(app)
    const token = await linkFor(app)
    await using assembled = await parts(app)
    const ctx = assembled.system()
    await resetPassword(ctx, { token, newPassword: next }, '192.0.2.1')
    expect(ctx.services.revocations.has(claimsOf(accessToken)['sid'] as string)).toBe(true)
  })

  it('allows ten attempts per address in 15 minutes', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const ask = (ip = '192.0.2.1') =>
      send(app, 'POST /reset-password', { body: { token: 'x', newPassword: next }, ip })
    for (let i = 0; i < 10; i += 1) expect((await ask()).status).toBe(400)
    const refused = await ask()
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect((await ask('192.0.2.2')).status).toBe(400)
    clock.advance(15 * minute)
    expect((await ask()).status).toBe(400)
  })

  it.each([
    [{ token: 'x', newPassword: 'seven77' }, 'newPassword'],
    [{ newPassword: next }, 'token'],
  ])('rejects %j with the name of the field', async (body, field) => {
    await using app = await createTestApp()
    expect(await send(app, 'POST /reset-password', { body })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
  })
})
