import { describe, expect, it } from 'vitest'
import { resetPassword } from '../../packages/core/src/domain/identity/password-reset.ts'
import { createTokens } from '../../packages/core/src/domain/identity/tokens.ts'
import { parts } from '../domain/agents.ts'
import { contents } from '../domain/contents.ts'
import { createTestApp, password, signingKeys, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { mailsOf, nthMail, quiet, tokenIn } from '../kit/mail.ts'
import { admin, audits, claimsOf, logIn, member, send, session, traces } from './accounts.ts'

const next = 'Another-horse-2'
const minute = 60_000
const everything = [...traces, 'audit_records']

const forgot = (app: TestApp, email: string, ip?: string) =>
  send(app, 'POST /forgot-password', { body: { email }, ...(ip && { ip }) })
const reset = (app: TestApp, token: string, newPassword = next) =>
  send(app, 'POST /reset-password', { body: { token, newPassword } })

/** Asks for a link and reads the mail, the `count`th of all. */
async function linkFor(app: TestApp, email = admin, count = 1): Promise<string> {
  await forgot(app, email)
  return tokenIn(await nthMail(app, count))
}

const worthless = { status: 400, json: { error: { code: 'VALIDATION_ERROR', field: 'token' } } }

describe('a forgotten password', () => {
  it('is replaced with the token of the mailed link, and all sessions end', async () => {
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

  it('points to the base URL where no other place is named', async () => {
    await using app = await createTestApp({ baseUrl: 'https://desk.test.example/' })
    await app.team()
    const token = await linkFor(app)
    const [mail] = await mailsOf(app)
    expect(mail?.text).toContain(`\nhttps://desk.test.example/reset-password?token=${token}\n`)
  })

  it('is asked for alike with and without an account: the same answer and the same writes', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    const shape = async (email: string) => {
      const before = await contents(app, everything)
      const { status, text } = await forgot(app, email)
      const after = await contents(app, everything)
      const added = Object.fromEntries(
        everything.map((table) => {
          const known = new Set((before[table] as object[]).map((row) => JSON.stringify(row)))
          const rows = (after[table] as Array<Record<string, unknown>>).filter(
            (row) => !known.has(JSON.stringify(row)),
          )
          return [table, rows.map(({ kind, action, actor_id }) => ({ kind, action, actor_id }))]
        }),
      )
      return { status, text, added }
    }
    const known = await shape(admin)
    expect(known).toMatchObject({
      status: 204,
      added: {
        job: [{ kind: 'password.forgot' }],
        audit_records: [{ action: 'auth.password.forgot', actor_id: 'anonymous' }],
        users: [],
        password_resets: [],
      },
    })
    expect(await shape('nobody@test.example')).toEqual(known)
    expect(JSON.stringify(await contents(app, ['job']))).not.toContain('@test.example')
  })

  it.each([
    ['an unknown e-mail', ''],
    ['a suspended user', `update users set status = 'suspended'`],
    ['a deactivated user', `update users set status = 'deactivated'`],
    ['a suspended tenant', `update tenants set status = 'suspended'`],
    ['a cancelled tenant', `update tenants set status = 'cancelled'`],
  ])('brings no mail to %s', async (_, statement) => {
    await using app = await createTestApp()
    await app.team()
    if (statement !== '') await app.db.write((tx) => tx.run(statement))
    expect((await forgot(app, statement === '' ? 'nobody@test.example' : admin)).status).toBe(204)
    await quiet(app)
    expect(await mailsOf(app)).toEqual([])
    expect(await contents(app, ['password_resets'])).toEqual({ password_resets: [] })
  })

  it('brings one mail in twenty minutes, whoever asks, and then one with a link that replaces the first', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const first = await linkFor(app)
    for (const ms of [0, 10 * minute, 10 * minute - 1]) {
      clock.advance(ms)
      expect((await forgot(app, admin)).status).toBe(204)
      await quiet(app)
    }
    expect(await mailsOf(app)).toHaveLength(1)
    await linkFor(app, member, 2)
    clock.advance(1)
    const second = await linkFor(app, admin, 3)
    expect(await reset(app, first)).toMatchObject(worthless)
    expect((await reset(app, second)).status).toBe(204)
  })

  it('is not reset by a link that was used, has expired, or was made before the password changed', async () => {
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
    const tokens = createTokens({ signingKeys, clock })
    const { sub } = tokens.verify(overtaken, 'reset')
    const foreign = createTokens({ signingKeys: [{ id: 's1', secret: 'x'.repeat(32) }], clock })
    await tryWith(tokens.sign('reset', { sub, jti: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }))
    await tryWith(foreign.sign('reset', { sub, jti: tokens.verify(overtaken, 'reset').jti }))
    await tryWith(tokens.sign('registration', { sub }))
    for (const token of [adminToken, accessToken, 'garbage', overtaken.slice(0, -2)]) await tryWith(token)
    expect(texts.size).toBe(1)
  })

  it.each([
    ['users', 'suspended'],
    ['tenants', 'suspended'],
  ])('is not reset for %s that were %s after the mail', async (table, status) => {
    await using app = await createTestApp()
    await app.team()
    const token = await linkFor(app)
    await app.db.write((tx) => tx.run(`update ${table} set status = ?`, [status]))
    expect(await reset(app, token)).toMatchObject(worthless)
    await app.db.write((tx) => tx.run(`update ${table} set status = 'active'`))
    expect((await reset(app, token)).status).toBe(204)
  })

  it('is reset once, when the link is used on two servers at the same moment', async () => {
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

  it('lets no access token through, before the event of its end has come round', async () => {
    await using app = await createTestApp()
    await app.team()
    const { accessToken } = await session(app)
    const token = await linkFor(app)
    await using assembled = await parts(app)
    const ctx = assembled.system()
    await resetPassword(ctx, { token, newPassword: next }, '192.0.2.1')
    expect(ctx.services.revocations.has(claimsOf(accessToken)['sid'] as string)).toBe(true)
  })

  it('is asked for five times and reset ten times in a quarter of an hour from one address', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const limits = [
      ['POST /forgot-password', 5, (i: number) => ({ email: `somebody.${i}@test.example` }), 204],
      ['POST /reset-password', 10, () => ({ token: 'x', newPassword: next }), 400],
    ] as const
    for (const [route, times, body, status] of limits) {
      for (let i = 0; i < times; i += 1)
        expect((await send(app, route, { body: body(i), ip: '192.0.2.1' })).status).toBe(status)
      const refused = await send(app, route, { body: body(times), ip: '192.0.2.1' })
      expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
      expect(refused.headers.get('retry-after')).toBe('900')
      expect((await send(app, route, { body: body(times), ip: '192.0.2.2' })).status).toBe(status)
    }
    clock.advance(15 * minute)
    for (const [route, , body, status] of limits)
      expect((await send(app, route, { body: body(0), ip: '192.0.2.1' })).status).toBe(status)
  })

  it.each([
    ['/forgot-password', {}, 'email'],
    ['/forgot-password', { email: 'nobody' }, 'email'],
    ['/reset-password', { token: 'x', newPassword: 'seven77' }, 'newPassword'],
    ['/reset-password', { newPassword: next }, 'token'],
  ])('%s refuses %j by name', async (path, body, field) => {
    await using app = await createTestApp()
    expect(await send(app, `POST ${path}`, { body })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
  })
})
