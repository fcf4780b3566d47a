import { describe, expect, it } from 'vitest'
import { login } from '../../../packages/core/src/domain/accounts/identity/login.ts'
import { createTokens } from '../../../packages/core/src/domain/accounts/identity/tokens.ts'
import { parts } from '../../domain/agents.ts'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, signingKeys, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'

const admin = 'admin.1.tenant-1@test.example'
const reviewer = 'reviewer.1.tenant-1@test.example'
const quarter = 15 * 60_000

/** What a refused login could leave behind. */
const traces = ['users', 'sessions', 'audit_records', 'event', 'job']

/** Each call from an address of its own, so that only the limit under test counts. */
let callers = 0
const anywhere = () => `10.2.${Math.floor((callers += 1) / 250)}.${callers % 250}`

async function logIn(app: TestApp, body: object, ip = anywhere()) {
  const response = await app.fetch(
    '/auth/v1/login',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    { ip },
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

const setStatus = (app: TestApp, email: string, status: string) =>
  app.db.write((tx) => tx.run('update users set status = ? where email = ?', [status, email]))

describe('auth.login', () => {
  it('returns both tokens and the user of a tenant', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const team = await app.team()
    const { status, json } = await logIn(app, { email: admin, password, app: 'dashboard' })
    expect(status).toBe(200)
    expect(json).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        id: team.adminId,
        email: admin,
        name: 'Ada Admin',
        role: 'admin',
        appAccess: ['dashboard'],
        tenantId: team.tenantId,
        tenantName: 'Tenant 1',
      },
    })
    const now = Math.floor(clock.now() / 1000)
    expect(await createTokens({ signingKeys, clock }).verify(json.accessToken, 'access')).toEqual({
      sub: team.adminId,
      role: 'admin',
      appAccess: ['dashboard'],
      tenantId: team.tenantId,
      name: 'Ada Admin',
      email: admin,
      sid: expect.any(String),
      aud: 'access',
      iat: now,
      exp: now + 900,
    })
  })

  it('returns no tenant for a super-admin, in the response and in the token', async () => {
    await using app = await createTestApp()
    const email = 'root@test.example'
    await app.copydesk.asSystem().users.create({ email, name: 'Root', password, role: 'super_admin' })
    const { json } = await logIn(app, { email, password, app: 'manage' })
    expect(json.user).toEqual({
      id: expect.any(String),
      email,
      name: 'Root',
      role: 'super_admin',
      appAccess: ['manage', 'dm-portal'],
    })
    expect(JSON.parse(atob(json.accessToken.split('.')[1]))).not.toHaveProperty('tenantId')
  })

  it('ignores case and surrounding blanks of the e-mail address', async () => {
    await using app = await createTestApp()
    await app.team()
    const { status } = await logIn(app, { email: ` ${admin.toUpperCase()} `, password, app: 'dashboard' })
    expect(status).toBe(200)
  })

  it('stores only a hash of the refresh token', async () => {
    await using app = await createTestApp()
    await app.team()
    const { json } = await logIn(app, { email: admin, password, app: 'dashboard' })
    expect(JSON.stringify(await contents(app, traces))).not.toContain(json.refreshToken)
  })

  it('responds alike to a wrong password, an unknown address and a wrong password of a suspended user', async () => {
    await using app = await createTestApp()
    await app.team()
    await setStatus(app, reviewer, 'suspended')
    const before = await contents(app, traces)
    const texts = new Set<string>()
    for (const [email, given] of [
      [admin, 'Wrong-horse-1'],
      ['nobody@test.example', password],
      [reviewer, 'Wrong-horse-1'],
    ]) {
      const answer = await logIn(app, { email, password: given, app: 'dashboard' })
      expect(answer).toMatchObject({ status: 401, json: { error: { code: 'UNAUTHORIZED' } } })
      texts.add(answer.text)
    }
    expect(texts.size).toBe(1)
    expect(await contents(app, traces)).toEqual(before)
  })

  it('verifies exactly one password hash for every rejection', async () => {
    await using app = await createTestApp()
    await app.team()
    await setStatus(app, reviewer, 'deactivated')
    await using assembled = await parts(app)
    const checked: string[] = []
    const { passwords } = assembled.services
    const system = assembled.system()
    const ctx = {
      ...system,
      services: {
        ...system.services,
        passwords: {
          ...passwords,
          verifyPassword(stored: string | undefined, given: string) {
            checked.push(stored === undefined ? 'none' : 'hash')
            return passwords.verifyPassword(stored, given)
          },
        },
      },
    }
    for (const [email, given] of [
      [admin, 'Wrong-horse-1'],
      ['nobody@test.example', password],
      [reviewer, 'Wrong-horse-1'],
      [reviewer, password],
    ] as const) {
      await expect(login(ctx, { email, password: given, app: 'dashboard' }, anywhere())).rejects.toThrow(
        Error,
      )
    }
    expect(checked).toEqual(['hash', 'none', 'hash', 'hash'])
  })

  it.each(['suspended', 'deactivated'])('rejects a %s user with the right password', async (status) => {
    await using app = await createTestApp()
    await app.team()
    await setStatus(app, admin, status)
    const before = await contents(app, traces)
    expect(await logIn(app, { email: admin, password, app: 'dashboard' })).toMatchObject({
      status: 403,
      json: { error: { code: 'FORBIDDEN' } },
    })
    expect(await contents(app, traces)).toEqual(before)
  })

  it.each(['suspended', 'cancelled'])('rejects all users of a %s tenant', async (status) => {
    await using app = await createTestApp()
    const { tenantId } = await app.team()
    await app.db.write((tx) => tx.run('update tenants set status = ? where id = ?', [status, tenantId]))
    const before = await contents(app, traces)
    expect(await logIn(app, { email: admin, password, app: 'dashboard' })).toMatchObject({
      status: 403,
      json: { error: { code: 'FORBIDDEN' } },
    })
    expect(await contents(app, traces)).toEqual(before)
  })

  it('requires access to the app, and a role that it accepts', async () => {
    await using app = await createTestApp()
    await app.team()
    const member = 'member.1.tenant-1@test.example'
    // The app alone is not enough: no one of a tenant manages the platform.
    await app.db.write((tx) =>
      tx.run('update users set app_access = ? where email = ?', [
        '["dashboard","manage","dm-portal"]',
        member,
      ]),
    )
    const before = await contents(app, traces)
    for (const [email, wanted] of [
      [admin, 'dm-portal'],
      [admin, 'manage'],
      [reviewer, 'dashboard'],
      [reviewer, 'manage'],
      [member, 'manage'],
      [member, 'dm-portal'],
    ]) {
      const answer = await logIn(app, { email, password, app: wanted })
      expect(answer, `${email} in ${wanted}`).toMatchObject({
        status: 403,
        json: { error: { code: 'FORBIDDEN' } },
      })
      expect(answer.json).not.toHaveProperty('accessToken')
    }
    expect(await contents(app, traces)).toEqual(before)
  })
})

describe('the limit of auth.login', () => {
  it('allows ten attempts in 15 minutes for one e-mail from one address, including the right password', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const home = '192.0.2.1'
    const wrong = { email: admin, password: 'Wrong-horse-1', app: 'dashboard' }
    for (let i = 0; i < 10; i += 1) expect((await logIn(app, wrong, home)).status).toBe(401)
    const before = await contents(app, traces)
    const refused = await logIn(app, { ...wrong, password }, home)
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(await contents(app, traces)).toEqual(before)

    expect((await logIn(app, { ...wrong, email: reviewer }, home)).status).toBe(401)
    expect((await logIn(app, wrong, '192.0.2.2')).status).toBe(401)
    clock.advance(quarter)
    expect((await logIn(app, { ...wrong, password }, home)).status).toBe(200)
  })

  it('counts different spellings of one e-mail address together', async () => {
    await using app = await createTestApp({ clock: createTestClock() })
    await app.team()
    const spellings = [admin, admin.toUpperCase(), ` ${admin}`, `${admin}  `, `\t${admin}\n`]
    const answers: number[] = []
    for (let i = 0; i < 11; i += 1) {
      const email = spellings[i % spellings.length]
      answers.push(
        (await logIn(app, { email, password: 'Wrong-horse-1', app: 'dashboard' }, '192.0.2.1')).status,
      )
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  })
})

describe('auth.me', () => {
  it('returns the caller', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const team = await app.team()
    const profile = {
      id: team.adminId,
      email: admin,
      name: 'Ada Admin',
      role: 'admin',
      appAccess: ['dashboard'],
      createdOn: clock.date().toISOString(),
      phone: null,
      country: null,
      about: null,
      whatsapp: null,
      mailboxProved: true,
    }
    expect(await team.admin.call('auth', 'GET /me')).toEqual(profile)
    expect(await team.reviewer.call('auth', 'GET /me')).toMatchObject({
      id: team.reviewerId,
      email: reviewer,
      role: 'reviewer',
      appAccess: ['dm-portal'],
    })
    await app.db.write((tx) =>
      tx.run('update users set phone = ?, image = ? where id = ?', ['+44 1', 'https://img', team.adminId]),
    )
    expect(await team.admin.call('auth', 'GET /me')).toEqual({
      ...profile,
      phone: '+44 1',
      image: 'https://img',
    })
  })
})
