import { describe, expect, it } from 'vitest'
import { login } from '../../../packages/core/src/domain/accounts/identity/login.ts'
import { changePassword } from '../../../packages/core/src/domain/accounts/identity/password-change.ts'
import { parts } from '../../domain/agents.ts'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { nthMail } from '../../kit/mail.ts'
import { admin, audits, claimsOf, logIn, member, send, session, traces, whileHashing } from './accounts.ts'

const next = 'Another-horse-2'
const everything = [...traces, 'audit_records']

const change = (app: TestApp, token: string, body: object) => send(app, 'PATCH /me/password', { token, body })
const good = { currentPassword: password, newPassword: next }
const statusOfMe = async (app: TestApp, token: string) => (await send(app, 'GET /me', { token })).status
const refresh = async (app: TestApp, refreshToken: string) =>
  (await send(app, 'POST /refresh', { body: { refreshToken } })).status

describe('auth.password.change', () => {
  it('changes the password: the new one is accepted, the old one is not', async () => {
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    expect(await change(app, adminToken, good)).toMatchObject({ status: 200, json: { success: true } })
    expect((await logIn(app, admin, next)).status).toBe(200)
    expect((await logIn(app, admin, password)).status).toBe(401)
    expect((await logIn(app, member, password)).status).toBe(200)
  })

  it('ends other sessions of the user with their access tokens at once, and keeps the current one and those of other users', async () => {
    await using app = await createTestApp()
    await app.team()
    const own = await session(app)
    const others = [await session(app), await session(app)]
    const neighbour = await session(app, member)
    const renewed = (await send(app, 'POST /refresh', { body: { refreshToken: own.refreshToken } })).json
    await change(app, renewed.accessToken, good)
    for (const other of others) {
      expect(await statusOfMe(app, other.accessToken)).toBe(401)
      expect(await refresh(app, other.refreshToken)).toBe(401)
    }
    for (const stays of [own, neighbour]) {
      expect(await statusOfMe(app, stays.accessToken)).toBe(200)
      expect(await refresh(app, stays.refreshToken)).toBe(200)
    }
    expect(await statusOfMe(app, renewed.accessToken)).toBe(200)
  })

  it('ends them on every server, also on those started later', async () => {
    await using app = await createTestApp()
    await app.team()
    const early = await app.another({ worker: false })
    const [own, other] = [await session(app), await session(app)]
    const statusOn = async (server: typeof early, { accessToken }: typeof own) => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await server.fetch(new Request('http://copydesk.test/auth/v1/me', { headers }))).status
    }
    expect(await statusOn(early, other)).toBe(200)
    await change(app, own.accessToken, good)
    await app.until(async () => (await statusOn(early, other)) === 401, 'the other server refuses the token')
    expect(await statusOn(early, own)).toBe(200)
    const late = await app.another({ worker: false })
    expect([await statusOn(late, other), await statusOn(late, own)]).toEqual([401, 200])
  })

  it('notifies the owner by e-mail and writes an audit record, without a password in either', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const { adminToken, adminId, tenantId } = await app.team()
    await change(app, adminToken, good)
    const mail = await nthMail(app, 1)
    expect(mail).toMatchObject({ to: admin, subject: 'Your Copydesk password has changed' })
    expect(mail.text).toMatch(/^Hello Ada Admin,\n/)
    expect(mail.text).toContain('10 April 2026 at 09:00 UTC')
    const records = await audits(app, 'auth.password.change')
    expect(records).toMatchObject([
      {
        actor_id: adminId,
        actor_type: 'human',
        tenant_id: tenantId,
        resource_id: adminId,
        method: 'PATCH',
        status: 200,
      },
    ])
    const hash = await app.db.sql.get<{ password_hash: string }>(
      'select password_hash from users where id = ?',
      [adminId],
    )
    const told = JSON.stringify([mail.raw, await contents(app, ['audit_records', 'event', 'job'])])
    for (const secret of [password, next, hash?.password_hash as string]) expect(told).not.toContain(secret)
  })

  it('returns 401 for a wrong current password and changes nothing', async () => {
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    const other = await session(app)
    const before = await contents(app, everything)
    for (const currentPassword of ['Wrong-horse-1', password.toLowerCase(), `${password} `, next]) {
      expect(await change(app, adminToken, { currentPassword, newPassword: next })).toMatchObject({
        status: 401,
        json: { error: { code: 'UNAUTHORIZED', message: 'The current password is wrong' } },
      })
    }
    expect(await contents(app, everything)).toEqual(before)
    expect(await statusOfMe(app, other.accessToken)).toBe(200)
  })

  it.each([
    ['newPassword', { ...good, newPassword: 'seven77' }],
    ['newPassword', { ...good, newPassword: 'x'.repeat(201) }],
    ['newPassword', { currentPassword: password }],
    ['currentPassword', { newPassword: next }],
    ['currentPassword', { ...good, currentPassword: 1 }],
  ])('rejects an invalid %s by name', async (field, body) => {
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    const before = await contents(app, everything)
    expect(await change(app, adminToken, body)).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
    expect(await contents(app, everything)).toEqual(before)
  })

  it('accepts one of two concurrent changes, on two servers', async () => {
    await using app = await createTestApp()
    await app.team()
    const other = await app.another({ worker: false })
    const sessions = [await session(app), await session(app)]
    const wanted = ['First-horse-11', 'Second-horse-22']
    const answers = await Promise.all(
      sessions.map(({ accessToken }, index) => {
        const init = {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
          body: JSON.stringify({ ...good, newPassword: wanted[index] }),
        }
        const server = index === 0 ? app.copydesk : other
        return server.fetch(new Request('http://copydesk.test/auth/v1/me/password', init))
      }),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401])
    const won = wanted[statuses.indexOf(200)] as string
    const lost = wanted[statuses.indexOf(401)] as string
    expect([(await logIn(app, admin, won)).status, (await logIn(app, admin, lost)).status]).toEqual([
      200, 401,
    ])
    const left = await app.db.sql.all<{ id: string }>(
      'select id from sessions where id in (?, ?)',
      sessions.map(({ accessToken }) => claimsOf(accessToken)['sid'] as string),
    )
    expect(left).toHaveLength(1)
  })

  it('opens no session for a concurrent login with the old password', async () => {
    await using app = await createTestApp()
    const { adminToken } = await app.team()
    await using assembled = await parts(app)
    const late = whileHashing(assembled.system(), async () =>
      expect((await change(app, adminToken, good)).status).toBe(200),
    )
    const rows = await contents(app, ['sessions'])
    await expect(
      login(late, { email: admin, password, app: 'dashboard' }, '192.0.2.1'),
    ).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    const { sessions } = await contents(app, ['sessions'])
    expect(rows['sessions']).toEqual(expect.arrayContaining(sessions as unknown[]))
  })

  it('hashes outside of transactions, and rejects the tokens before its event is processed', async () => {
    await using app = await createTestApp()
    const { adminId, tenantId } = await app.team()
    const { accessToken } = await session(app)
    await using assembled = await parts(app)
    const ctx = assembled.contextFor({
      actor: { id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] },
    })
    // On SQLite this write waits for every open transaction; inside of one it would wait for ever.
    const write = () => app.copydesk.asSystem().tenants.create({ name: 'Meanwhile' })
    expect(await changePassword(whileHashing(ctx, write), good)).toEqual({ success: true })
    expect(ctx.services.revocations.has(claimsOf(accessToken)['sid'] as string)).toBe(true)
  })

  it('allows ten attempts per user in 15 minutes', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const { adminToken, member: other } = await app.team()
    for (let i = 0; i < 10; i += 1)
      expect((await change(app, adminToken, { ...good, currentPassword: 'Wrong-horse-1' })).status).toBe(401)
    expect(await change(app, adminToken, good)).toMatchObject({
      status: 429,
      json: { error: { code: 'RATE_LIMITED' } },
    })
    expect(await other.call('auth', 'PATCH /me/password', { body: good })).toEqual({ success: true })
  })
})
