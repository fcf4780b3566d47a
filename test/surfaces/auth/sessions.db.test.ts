import type { Copydesk } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'

const admin = 'admin.1.tenant-1@test.example'
const day = 24 * 3_600_000

const logIn = (app: TestApp) =>
  app.clientFor().call('auth', 'POST /login', { body: { email: admin, password, app: 'dashboard' } })

const refresh = (app: TestApp, refreshToken: string) =>
  app.clientFor().call('auth', 'POST /refresh', { body: { refreshToken } })

const me = (app: TestApp, token: string) => app.clientFor(token).call('auth', 'GET /me')
const logOut = (app: TestApp, token: string) => app.clientFor(token).call('auth', 'POST /logout')

const claimsOf = (token: string) => JSON.parse(atob(token.split('.')[1] ?? '')) as Record<string, unknown>

/** Opens a stream of a person, and tells when it has ended. */
async function follow(app: TestApp, token: string) {
  const init = { headers: { authorization: `Bearer ${token}` } }
  const reader = (await app.fetch('/dashboard/v1/events/stream', init)).body?.getReader()
  const state = { ended: false, cancel: () => reader?.cancel() }
  void (async () => {
    while (!(await reader?.read())?.done);
    state.ended = true
  })()
  return state
}

const refused = { status: 401, code: 'UNAUTHORIZED' }
const traces = ['users', 'sessions', 'audit_records', 'event', 'job']

describe('auth.refresh', () => {
  it('returns a new access token of the same session, and keeps the refresh token', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const { accessToken, refreshToken } = await logIn(app)
    const sessions = await contents(app, ['sessions'])
    for (let i = 1; i <= 2; i += 1) {
      clock.advance(16 * 60_000)
      await expect(me(app, accessToken)).rejects.toMatchObject({ status: 401, code: 'TOKEN_EXPIRED' })
      const answer = await refresh(app, refreshToken)
      expect(answer).toEqual({ accessToken: expect.any(String) })
      const iat = Math.floor(clock.now() / 1000)
      expect(claimsOf(answer.accessToken)).toEqual({ ...claimsOf(accessToken), iat, exp: iat + 900 })
      expect(await me(app, answer.accessToken)).toMatchObject({ email: admin })
    }
    expect(await contents(app, ['sessions'])).toEqual(sessions)
  })

  it('serves two concurrent requests, also on two servers', async () => {
    await using app = await createTestApp()
    await app.team()
    const other = await app.another({ worker: false })
    const { refreshToken } = await logIn(app)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refreshToken }),
    }
    const answers = await Promise.all([
      app.fetch('/auth/v1/refresh', init),
      app.fetch('/auth/v1/refresh', init),
      other.fetch(new Request('http://copydesk.test/auth/v1/refresh', init)),
    ])
    for (const answer of answers) {
      const { accessToken } = (await answer.json()) as { accessToken: string }
      expect(await me(app, accessToken)).toMatchObject({ email: admin })
    }
  })

  it('includes changes of the user since the login', async () => {
    await using app = await createTestApp()
    await app.team()
    const { refreshToken } = await logIn(app)
    await app.db.write((tx) => tx.run(`update users set role = 'member' where email = ?`, [admin]))
    expect(claimsOf((await refresh(app, refreshToken)).accessToken)).toMatchObject({ role: 'member' })
  })

  it('rejects the refresh token after seven days', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const { refreshToken } = await logIn(app)
    clock.advance(7 * day - 1)
    expect(await refresh(app, refreshToken)).toHaveProperty('accessToken')
    clock.advance(1)
    const before = await contents(app, traces)
    await expect(refresh(app, refreshToken)).rejects.toMatchObject(refused)
    expect(await contents(app, traces)).toEqual(before)
  })

  it('returns the same error for every reason, and changes nothing', async () => {
    await using app = await createTestApp()
    const { tenantId } = await app.team()
    const left = await logIn(app)
    await logOut(app, left.accessToken)
    const { accessToken, refreshToken } = await logIn(app)
    const messages: string[] = []
    const tryWith = async (token: string) => {
      const before = await contents(app, traces)
      messages.push(
        await refresh(app, token).then(
          () => 'was accepted',
          (error: Error) => {
            expect(error).toMatchObject(refused)
            return error.message
          },
        ),
      )
      expect(await contents(app, traces)).toEqual(before)
    }
    for (const token of [left.refreshToken, accessToken, 'x', `${refreshToken} `, refreshToken.toLowerCase()])
      await tryWith(token)
    for (const [table, id] of [
      ['users', claimsOf(accessToken)['sub'] as string],
      ['tenants', tenantId],
    ] as const) {
      const setStatus = (status: string) =>
        app.db.write((tx) => tx.run(`update ${table} set status = ? where id = ?`, [status, id]))
      await setStatus('suspended')
      await tryWith(refreshToken)
      await setStatus('active')
    }
    expect(new Set(messages).size).toBe(1)
    expect(await refresh(app, refreshToken)).toHaveProperty('accessToken')
  })
})

describe('a session after seven days', () => {
  it('ends with its streams and access tokens, and no other session does', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await app.team()
    const { refreshToken } = await logIn(app)
    clock.advance(7 * day - 10 * 60_000)
    const { accessToken } = await refresh(app, refreshToken)
    const younger = await logIn(app)
    const [closing, open] = [await follow(app, accessToken), await follow(app, younger.accessToken)]
    clock.advance(10 * 60_000 - 1_000)
    expect(await me(app, accessToken)).toMatchObject({ email: admin })
    expect([closing.ended, open.ended]).toEqual([false, false])
    await app.until(async () => {
      clock.advance(1_000)
      return closing.ended
    }, 'the stream of the session ends')
    await expect(me(app, accessToken)).rejects.toMatchObject(refused)
    expect(await me(app, younger.accessToken)).toMatchObject({ email: admin })
    expect(open.ended).toBe(false)
    await open.cancel()
  })
})

describe('auth.logout', () => {
  it('ends the session and all its access tokens at once, and no other session', async () => {
    await using app = await createTestApp()
    await app.team()
    for (let i = 0; i < 4; i += 1) {
      const gone = await logIn(app)
      const stays = await logIn(app)
      const renewed = await refresh(app, gone.refreshToken)
      expect(await logOut(app, renewed.accessToken)).toBeUndefined()
      for (const token of [gone.accessToken, renewed.accessToken]) {
        await expect(me(app, token)).rejects.toMatchObject(refused)
      }
      await expect(refresh(app, gone.refreshToken)).rejects.toMatchObject(refused)
      expect(await me(app, stays.accessToken)).toMatchObject({ email: admin })
      expect(await refresh(app, stays.refreshToken)).toHaveProperty('accessToken')
    }
  })

  it('answers 204 with an empty body and leaves an audit record without the token', async () => {
    await using app = await createTestApp()
    const { tenantId, adminId } = await app.team()
    const { accessToken, refreshToken } = await logIn(app)
    const response = await app.fetch('/auth/v1/logout', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    const records = await app.db.sql.all(`select * from audit_records where action = 'auth.logout'`)
    expect(records).toMatchObject([
      { actor_id: adminId, tenant_id: tenantId, resource_id: claimsOf(accessToken)['sid'] },
    ])
    expect(JSON.stringify(records)).not.toContain(refreshToken)
  })

  it('has no effect when repeated', async () => {
    await using app = await createTestApp()
    await app.team()
    const { accessToken } = await logIn(app)
    await logOut(app, accessToken)
    const before = await contents(app, traces)
    await expect(logOut(app, accessToken)).rejects.toMatchObject(refused)
    expect(await contents(app, traces)).toEqual(before)
  })

  it('applies on every server, also on those started later', async () => {
    await using app = await createTestApp()
    await app.team()
    const early = await app.another({ worker: false })
    const { accessToken } = await logIn(app)
    const statusOn = async (server: Copydesk) => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await server.fetch(new Request('http://copydesk.test/auth/v1/me', { headers }))).status
    }
    expect(await statusOn(early)).toBe(200)
    await logOut(app, accessToken)
    await app.until(async () => (await statusOn(early)) === 401, 'the other server refuses the token')
    expect(await statusOn(await app.another({ worker: false }))).toBe(401)
  })
})
