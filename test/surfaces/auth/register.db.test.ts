import { describe, expect, it } from 'vitest'
import { cleanUp } from '../../../packages/core/src/composition/housekeeping.ts'
import { createTokens } from '../../../packages/core/src/domain/accounts/identity/tokens.ts'
import { parts } from '../../domain/agents.ts'
import { contents } from '../../domain/contents.ts'
import { password, signingKeys, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'
import {
  begin,
  company,
  complete,
  createOpenApp,
  person,
  place,
  ready,
  registrationTables,
  send,
} from './registrations.ts'

const ulid = expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
const hour = 3_600_000

const all = (app: TestApp, table: string) => app.db.sql.all<Record<string, unknown>>(`select * from ${table}`)

describe('a registration', () => {
  it('creates a working tenant on the free plan', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ clock, worker: false })
    const started = await send(app, 'POST /register/start', { body: person })
    expect(started).toMatchObject({ status: 201, json: { step: 1 } })
    const token = started.json.sessionToken
    const { iat, exp } = await createTokens({ signingKeys, clock }).verify(token, 'registration')
    expect(exp - iat).toBe(3600)
    const second = await send(app, 'POST /register/step/2', { token, body: company })
    expect(second).toMatchObject({ status: 200, json: { step: 2 } })
    const third = await send(app, 'POST /register/step/3', { token, body: place })
    expect(third).toMatchObject({ status: 200, json: { step: 3 } })
    const done = await complete(app, token)
    expect(done.status).toBe(201)
    expect(done.json).toEqual({
      tenantId: ulid,
      userId: ulid,
      plan: 'free',
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
    })
    const { tenantId, userId, accessToken, refreshToken } = done.json
    expect(await all(app, 'tenants')).toMatchObject([
      {
        id: tenantId,
        name: 'Hearth & Oat',
        domain: 'hearth.example',
        plan: 'free',
        status: 'active',
        timezone: 'Europe/London',
      },
    ])
    expect(await all(app, 'tenant_profiles')).toMatchObject([
      {
        tenant_id: tenantId,
        legal_name: 'Hearth & Oat',
        website: 'https://www.hearth.example/shop',
        industry: 'Bakery',
        company_size: '11-50',
        business_type: 'in_house',
        country: 'GB',
        state: 'ENG',
        gstin: null,
      },
    ])
    const agents = await all(app, 'tenant_agents')
    expect(agents.length).toBeGreaterThan(5)
    expect(agents.every((agent) => agent['tenant_id'] === tenantId)).toBe(true)
    expect(await all(app, 'subscriptions')).toMatchObject([
      { tenant_id: tenantId, plan: 'free', status: 'active', region: 'GB', currency: 'GBP' },
    ])
    expect(await all(app, 'invoices')).toEqual([])
    expect((await all(app, 'audit_records')).map((row) => row['action'])).toEqual(
      expect.arrayContaining(['tenant.created', 'auth.register.complete']),
    )

    const client = app.clientFor(accessToken)
    expect(await client.call('auth', 'GET /me')).toMatchObject({
      id: userId,
      email: person.email,
      name: 'Ines Okafor',
      role: 'admin',
      appAccess: ['dashboard'],
      phone: person.phone,
      country: 'GB',
    })
    expect(await client.call('dashboard', 'GET /campaigns')).toMatchObject({ data: [] })
    const renewed = await app.clientFor().call('auth', 'POST /refresh', { body: { refreshToken } })
    expect(renewed.accessToken).toEqual(expect.any(String))
    const { user } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: person.email, password: person.password, app: 'dashboard' },
    })
    expect(user).toMatchObject({ id: userId, role: 'admin', tenantId, tenantName: 'Hearth & Oat' })
  })

  it('stores the password as a hash only, and removes it on completion', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app)
    const [open] = await all(app, 'registrations')
    expect(open?.['password_hash']).toMatch(/^\$argon2id\$/)
    expect(JSON.stringify(await contents(app, registrationTables))).not.toContain(person.password)
    expect((await complete(app, token)).status).toBe(201)
    const [closed] = await all(app, 'registrations')
    expect(closed?.['password_hash']).toBeNull()
    expect(JSON.stringify(await contents(app, registrationTables))).not.toContain(person.password)
  })

  it('accepts a repeated step until it is complete, and keeps the later steps', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app)
    const renamed = { ...company, companyName: 'Oat & Hearth' }
    expect(await send(app, 'POST /register/step/2', { token, body: renamed })).toMatchObject({
      status: 200,
      json: { step: 2 },
    })
    expect((await send(app, 'GET /register/session', { token })).json).toMatchObject({
      currentStep: 4,
      prefilled: { companyName: 'Oat & Hearth', timezone: 'Europe/London' },
    })
    expect((await complete(app, token)).status).toBe(201)
    expect(await all(app, 'tenants')).toMatchObject([{ name: 'Oat & Hearth' }])

    const before = await contents(app, registrationTables)
    for (const [route, body] of [
      ['POST /register/step/2', company],
      ['POST /register/step/3', place],
      ['POST /register/complete', { plan: 'free' }],
    ] as const) {
      expect(await send(app, route, { token, body }), route).toMatchObject({
        status: 409,
        json: { error: { code: 'CONFLICT', details: { currentStep: 4 } } },
      })
    }
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('requires the steps in order, and names the first missing one', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    const refused = async (route: string, body: object, currentStep: number) => {
      const before = await contents(app, registrationTables)
      expect(await send(app, route, { token, body }), route).toMatchObject({
        status: 409,
        json: { error: { code: 'CONFLICT', details: { currentStep } } },
      })
      expect(await contents(app, registrationTables)).toEqual(before)
    }
    await refused('POST /register/step/3', place, 2)
    await refused('POST /register/complete', { plan: 'free' }, 2)
    await send(app, 'POST /register/step/2', { token, body: company })
    await refused('POST /register/complete', { plan: 'free' }, 3)
  })

  it('ignores an Idempotency-Key: a repeated completion is rejected as complete', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app)
    const again = { token, body: { plan: 'pro' }, headers: { 'idempotency-key': 'once' } }
    expect((await send(app, 'POST /register/complete', again)).status).toBe(201)
    expect(await send(app, 'POST /register/complete', again)).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT', details: { currentStep: 4 } } },
    })
    expect(await all(app, 'tenants')).toHaveLength(1)
    expect(await all(app, 'idempotency_records')).toHaveLength(0)
  })
})

describe('the token of a registration', () => {
  it('is valid for an hour', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ clock, worker: false })
    const token = await ready(app)
    clock.advance(hour - 1000)
    expect((await send(app, 'GET /register/session', { token })).status).toBe(200)
    clock.advance(1000)
    const before = await contents(app, registrationTables)
    const late = await complete(app, token)
    expect(late).toMatchObject({ status: 401, json: { error: { code: 'TOKEN_EXPIRED' } } })
    expect(late.headers.get('www-authenticate')).toBe('Bearer error="expired_token"')
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('gives access to its own registration only', async () => {
    await using app = await createOpenApp({ worker: false })
    const mine = await ready(app)
    const theirs = await begin(app, { email: 'other@hearth.example', firstName: 'Otto' })
    expect((await send(app, 'GET /register/session', { token: theirs })).json.prefilled).toMatchObject({
      firstName: 'Otto',
    })
    expect((await complete(app, theirs)).status).toBe(409)
    expect((await complete(app, mine)).status).toBe(201)
    expect(await all(app, 'users')).toMatchObject([{ email: person.email }])
  })

  it('is accepted by no other endpoint, and no other token is accepted here', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ clock, worker: false })
    const team = await app.team()
    const token = await ready(app)
    for (const path of ['/auth/v1/me', '/dashboard/v1/campaigns', '/dm/v1/approvals']) {
      const answer = await app.fetch(path, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status, path).toBe(401)
    }
    const tokens = createTestTokens({ signingKeys, clock })
    const sub = team.adminId
    const foreign = [
      team.adminToken,
      tokens.sign('reset', { sub, jti: 'x' }),
      tokens.sign('task', { sub, attempt: 1, exp: Math.floor(clock.now() / 1000) + 60 }),
    ]
    for (const other of foreign) {
      expect(await send(app, 'GET /register/session', { token: other })).toMatchObject({
        status: 401,
        json: { error: { code: 'INVALID_TOKEN' } },
      })
    }
    // Well made, but for a registration that never was.
    const nobody = tokens.sign('registration', { sub })
    for (const [route, body] of [
      ['GET /register/session', undefined],
      ['POST /register/step/2', company],
      ['POST /register/step/3', place],
      ['POST /register/complete', { plan: 'free' }],
    ] as const) {
      expect(await send(app, route, { token: nobody, body }), route).toMatchObject({
        status: 401,
        json: { error: { code: 'UNAUTHORIZED' } },
      })
    }
  })
})

describe('an abandoned registration', () => {
  it('is deleted after a day, complete or not; its tenant is kept', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ clock, worker: false })
    await begin(app, { email: 'gone@hearth.example' })
    const done = await complete(app, await ready(app))
    await using instance = await parts(app)
    clock.advance(24 * hour)
    await cleanUp(instance.system())
    expect(await all(app, 'registrations')).toHaveLength(2)
    clock.advance(1)
    await cleanUp(instance.system())
    expect(await all(app, 'registrations')).toEqual([])
    expect(await all(app, 'tenants')).toMatchObject([{ id: done.json.tenantId }])
  })
})

describe('an installation with closed registration', () => {
  it('rejects registrations, and keeps existing accounts working', async () => {
    await using app = await createOpenApp({ registration: 'closed' })
    await app.team()
    const before = await contents(app, registrationTables)
    expect(await send(app, 'POST /register/start', { body: person })).toMatchObject({
      status: 403,
      json: { error: { code: 'FORBIDDEN' } },
    })
    expect(await contents(app, registrationTables)).toEqual(before)
    const body = { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' }
    expect((await send(app, 'POST /login', { body })).status).toBe(200)
  })
})
