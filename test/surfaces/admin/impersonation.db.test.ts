import { describe, expect, it } from 'vitest'
import { createTokens } from '../../../packages/core/src/domain/accounts/identity/tokens.ts'
import { campaignTables, contents } from '../../domain/contents.ts'
import { createTestApp, signingKeys, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator, expectRefused, type Operator, operatorTables, sendTo } from '../../kit/operator.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const minutes = 60_000
const brief = { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'blog_post' as const, quantity: 1 }] }

const impersonate = (operator: Operator, id: string) =>
  operator.send('POST', `/admin/v1/tenants/${id}/impersonate`)
const tokenFor = async (operator: Operator, id: string) =>
  (await impersonate(operator, id)).json.impersonationToken as string
const get = (app: TestApp, path: string, token: string) => sendTo(app, 'GET', path, { token })
const order = ({ admin }: Team) => admin.call('dashboard', 'POST /campaigns', { body: brief })

const ended = { status: 401, code: 'UNAUTHORIZED' }
const forbidden = { status: 403, code: 'FORBIDDEN' }

describe('admin.tenants.impersonate', () => {
  it('issues a token for one tenant for 30 minutes, and writes an audit record', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const { status, json } = await impersonate(operator, tenantId)
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        impersonationToken: expect.any(String),
        dashboardUrl: expect.stringMatching(/^http.*\/dashboard\/v1$/),
      },
    })
    const now = Math.floor(clock.now() / 1000)
    expect(
      await createTokens({ signingKeys, clock }).verify(json.impersonationToken, 'impersonation'),
    ).toMatchObject({
      sub: operator.id,
      tenantId,
      iat: now,
      exp: now + 1800,
    })
    const { data } = (await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?limit=1`)).json
    expect(data).toMatchObject([
      {
        action: 'tenant.impersonated',
        actor: { id: operator.id, type: 'human' },
        after: { impersonatedBy: operator.id, expiresAt: new Date(clock.now() + 30 * minutes).toISOString() },
      },
    ])
    expect(JSON.stringify(await app.db.sql.all('select * from audit_records'))).not.toContain(
      json.impersonationToken,
    )
  })

  it('returns 404 for an unknown tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    await expectRefused(app, () => impersonate(operator, unknownId), { status: 404, code: 'NOT_FOUND' })
  })

  it('works for a suspended tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    await operator.send('POST', `/admin/v1/tenants/${tenantId}/suspend`, { reason: 'test' })
    expect(await get(app, '/dashboard/v1/campaigns', await tokenFor(operator, tenantId))).toMatchObject({
      status: 200,
    })
  })
})

describe('an impersonation token', () => {
  it('gives the same view as an admin of that tenant, and of no other tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const team = await app.team()
    const neighbour = await app.team('Neighbour')
    const { id } = await order(team)
    const foreign = await order(neighbour)
    const token = await tokenFor(operator, team.tenantId)
    for (const path of [
      'campaigns',
      `campaigns/${id}`,
      `campaigns/${id}/deliverables`,
      'activities',
      'approvals/stats',
    ]) {
      const seen = await get(app, `/dashboard/v1/${path}`, token)
      expect(seen.status).toBe(200)
      expect(seen.text).toBe((await get(app, `/dashboard/v1/${path}`, team.adminToken)).text)
    }
    expect(await get(app, `/dashboard/v1/campaigns/${foreign.id}`, token)).toMatchObject({ status: 404 })
    expect((await get(app, '/dashboard/v1/campaigns', token)).text).not.toContain(foreign.id)
  })

  it('gives no access to endpoints of super-admins, reviewers or personal settings', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const token = await tokenFor(operator, tenantId)
    for (const path of [
      '/admin/v1/tenants',
      `/admin/v1/tenants/${tenantId}`,
      '/admin/v1/nowhere',
      '/dm/v1/approvals',
      '/auth/v1/me',
    ])
      expect(await get(app, path, token), path).toMatchObject(forbidden)
    const again = () => operator.send('POST', `/admin/v1/tenants/${tenantId}/impersonate`, undefined, token)
    await expectRefused(app, again, forbidden)
    const task = `/agent/v1/runs/${operator.id}/status`
    expect(await get(app, task, token)).toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
    const refreshToken = { refreshToken: token }
    const renew = () => sendTo(app, 'POST', '/auth/v1/refresh', { body: refreshToken })
    await expectRefused(app, renew, { status: 401 })
  })

  it('cannot write, whatever the path and the body', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const team = await app.team()
    const { id } = await order(team)
    const token = await tokenFor(operator, team.tenantId)
    const routes = await app.copydesk.routes()
    const everything = routes.filter(({ method, access }) => method !== 'GET' && !access.public)
    const jwt = everything.filter(({ access }) => !access.public && access.credentials.includes('jwt'))
    expect(jwt.length).toBeGreaterThan(10)
    const before = await contents(app, [...operatorTables, ...campaignTables])
    for (const { method, path } of jwt) {
      const filled = path.replace(/:\w+/g, id)
      for (const body of [undefined, brief])
        expect(await operator.send(method, filled, body, token), `${method} ${path}`).toMatchObject(forbidden)
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await operator.send(method, '/dashboard/v1/nowhere', {}, token)).toMatchObject(forbidden)
    expect(await contents(app, [...operatorTables, ...campaignTables])).toEqual(before)
    // The super-admin's own session is not ended by it either.
    expect((await operator.send('GET', '/auth/v1/me')).status).toBe(200)
  })

  it('expires after 30 minutes, and closes its streams', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const token = await tokenFor(operator, tenantId)
    const stream = await app.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(stream.status).toBe(200)
    clock.advance(30 * minutes - 1)
    expect((await get(app, '/dashboard/v1/campaigns', token)).status).toBe(200)
    clock.advance(1)
    expect(await get(app, '/dashboard/v1/campaigns', token)).toMatchObject({
      status: 401,
      code: 'TOKEN_EXPIRED',
    })
    clock.advance(15_000)
    expect(await stream.text()).not.toContain('error')
  })

  it.each([
    ['logs out', (operator: Operator) => operator.send('POST', '/auth/v1/logout')],
    [
      'is suspended',
      (_: Operator, other: Operator, id: string) =>
        other.send('POST', `/admin/v1/users/${id}/suspend`, { reason: 'test' }),
    ],
  ])('becomes invalid, and closes its streams, when the super-admin %s', async (_, act) => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const other = await createOperator(app, 'otto@test.example')
    const { tenantId } = await app.team()
    const token = await tokenFor(operator, tenantId)
    const headers = { authorization: `Bearer ${token}` }
    const stream = await app.fetch('/dashboard/v1/events/stream', { headers })
    expect((await get(app, '/dashboard/v1/campaigns', token)).status).toBe(200)
    expect((await act(operator, other, operator.id)).status).toBeLessThan(300)
    expect(await get(app, '/dashboard/v1/campaigns', token)).toMatchObject(ended)
    await stream.text()
    // Longer than a server remembers whom it refuses.
    clock.advance(16 * minutes)
    expect(await get(app, '/dashboard/v1/campaigns', token)).toMatchObject(ended)
    const started = await app.another({ worker: false })
    const request = new Request('http://copydesk.test/dashboard/v1/campaigns', { headers })
    expect((await started.fetch(request)).status).toBe(401)
  })

  it('becomes invalid when the session of its super-admin ends', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    clock.advance(7 * 24 * 60 * minutes - 10 * minutes)
    const body = { refreshToken: operator.refreshToken }
    operator.token = (await app.clientFor().call('auth', 'POST /refresh', { body })).accessToken
    const token = await tokenFor(operator, tenantId)
    expect((await get(app, '/dashboard/v1/campaigns', token)).status).toBe(200)
    clock.advance(10 * minutes)
    expect(await get(app, '/dashboard/v1/campaigns', token)).toMatchObject(ended)
  })

  it('becomes invalid when its super-admin loses the role, and cannot name another user', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminId, adminToken } = await app.team()
    const token = await tokenFor(operator, tenantId)
    const { sid } = JSON.parse(atob(adminToken.split('.')[1] ?? '')) as { sid: string }
    const signed = createTestTokens({ signingKeys, clock }).sign('impersonation', {
      sub: adminId,
      tenantId,
      sid,
    })
    expect(await get(app, '/dashboard/v1/campaigns', signed)).toMatchObject(ended)
    await app.db.write((tx) => tx.run(`update users set role = 'reviewer' where id = ?`, [operator.id]))
    expect(await get(app, '/dashboard/v1/campaigns', token)).toMatchObject(ended)
  })

  it('that an API key has asked for ends, with its streams, when its super-admin loses the role', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const [operator] = [await createOperator(app), await createOperator(app, 'otto@test.example')]
    const { tenantId } = await app.team()
    const { apiKeys, users } = app.copydesk.asSystem()
    const { key } = await apiKeys.create({ userId: operator.id, name: 'shell' })
    const asked = { token: key, scheme: 'ApiKey', body: { tenantId } }
    const { json } = await sendTo(app, 'POST', '/cli/v1/impersonate', asked)
    const headers = { authorization: `Bearer ${json.impersonationToken}` }
    const stream = await app.fetch('/dashboard/v1/events/stream', { headers })
    expect(stream.status).toBe(200)
    await users.setRole(operator.id, 'reviewer')
    await stream.text()
    expect(await get(app, '/dashboard/v1/campaigns', json.impersonationToken)).toMatchObject(ended)
  })

  it('writes an audit record of every read, marked with the tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const team = await app.team()
    const { id } = await order(team)
    const token = await tokenFor(operator, team.tenantId)
    await get(app, '/dashboard/v1/campaigns?limit=1', token)
    await get(app, `/dashboard/v1/campaigns/${id}`, token)
    await get(app, `/dashboard/v1/campaigns/${unknownId}`, token)
    const stream = await app.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${token}` },
    })
    await stream.body?.cancel()
    const { data } = (await operator.send('GET', `/admin/v1/tenants/${team.tenantId}/audit-log`)).json
    const marked = data.filter(
      ({ impersonating }: { impersonating: string | null }) => impersonating !== null,
    )
    const by = {
      actor: { id: operator.id, type: 'human' },
      impersonating: team.tenantId,
      method: 'GET',
      status: 200,
    }
    expect(marked).toMatchObject([
      { ...by, action: 'dashboard.events.stream' },
      { ...by, action: 'dashboard.campaigns.get', resourceType: 'campaigns', resourceId: id },
      { ...by, action: 'dashboard.campaigns.list', before: null, after: null },
    ])
    // Others read without one.
    await team.admin.call('dashboard', 'GET /campaigns')
    const after = (await operator.send('GET', `/admin/v1/tenants/${team.tenantId}/audit-log`)).json
    expect(after.data).toHaveLength(data.length)
  })
})
