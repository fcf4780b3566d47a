import { describe, expect, it } from 'vitest'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { openKeyDoor } from '../../kit/key-requests.ts'
import { createOperator, expectRefused, type Operator, sendTo } from '../../kit/operator.ts'

const adminEmail = 'admin.1.tenant-1@test.example'
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const conflict = { status: 409, code: 'CONFLICT' }

const suspend = (operator: Operator, id: string, body: object = { reason: 'left' }) =>
  operator.send('POST', `/admin/v1/users/${id}/suspend`, body)
const reinstate = (operator: Operator, id: string) => operator.send('POST', `/admin/v1/users/${id}/reinstate`)

const logIn = (app: TestApp, email = adminEmail, to = 'dashboard') =>
  sendTo(app, 'POST', '/auth/v1/login', { body: { email, password, app: to } })
const me = (app: TestApp, token: string) => sendTo(app, 'GET', '/auth/v1/me', { token })

describe('admin.users.list', () => {
  it('lists users of all tenants and reviewers, and super-admins only when filtered by that role', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminId, reviewerId } = await app.team()
    const { status, json, text } = await operator.send('GET', '/admin/v1/users?order=asc')
    expect(status).toBe(200)
    const at = clock.date().toISOString()
    expect(json.data[0]).toEqual({
      id: adminId,
      email: adminEmail,
      name: 'Ada Admin',
      role: 'admin',
      status: 'active',
      tenantId,
      tenantName: 'Tenant 1',
      lastLoginAt: at,
      createdOn: at,
    })
    expect(json.data.map(({ role }: { role: string }) => role)).toEqual(['admin', 'member', 'reviewer'])
    expect(json.data[2]).toMatchObject({ id: reviewerId, tenantId: null, tenantName: null })
    const searched = await operator.send('GET', '/admin/v1/users?filter.search=olga')
    expect(searched.json.data).toEqual([])
    for (const query of ['filter.role=super_admin', 'filter.role=super_admin&filter.search=olga']) {
      const staff = await operator.send('GET', `/admin/v1/users?${query}`)
      expect(staff.json.data).toEqual([
        {
          id: operator.id,
          email: operator.email,
          name: 'Olga Operator',
          role: 'super_admin',
          status: 'active',
          tenantId: null,
          tenantName: null,
          lastLoginAt: at,
          createdOn: at,
        },
      ])
    }
    expect(json.pagination).toEqual({ hasMore: false, nextCursor: null })
    expect(text).not.toMatch(/argon2|password/i)
  })

  it('filters by tenant, role, state and words, 50 per page', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const other = await app.team('Neighbour')
    const find = async (query: string) =>
      (await operator.send('GET', `/admin/v1/users?order=asc&${query}`)).json.data.map(
        ({ email }: { email: string }) => email,
      )
    expect(await find(`filter.tenantId=${tenantId}`)).toEqual([adminEmail, 'member.1.tenant-1@test.example'])
    expect(await find('filter.role=super_admin')).toEqual([operator.email])
    expect(await find('filter.search=neighbour')).toHaveLength(3)
    expect(await find('filter.search=ada%20NEIGHBOUR')).toEqual(['admin.1.neighbour@test.example'])
    expect(await find('filter.search=mia&filter.role=admin')).toEqual([])
    // A person is not another whose name is nearly the same.
    expect(await find('filter.search=adb')).toEqual([])
    await suspend(operator, other.adminId)
    expect(await find('filter.status=suspended')).toEqual(['admin.1.neighbour@test.example'])
    const first = (await operator.send('GET', '/admin/v1/users?filter.search=member&limit=1')).json
    expect(first.pagination.hasMore).toBe(true)
    const rest = (
      await operator.send('GET', `/admin/v1/users?filter.search=member&cursor=${first.pagination.nextCursor}`)
    ).json
    expect(rest).toMatchObject({
      data: [{ email: 'member.1.tenant-1@test.example' }],
      pagination: { hasMore: false },
    })
    for (let i = 0; i < 52; i += 1)
      await app.db.write((tx) =>
        tx.run(
          `insert into users (id, email, name, password_hash, role, app_access, status, created_on, updated_on)
           values (?, ?, 'X', '-', 'reviewer', '[]', 'active', ?, ?)`,
          [
            `01ARZ3NDEKTSV4RRFFQ69G5F${String(i).padStart(2, '0')}`,
            `x${i}@test.example`,
            new Date(),
            new Date(),
          ],
        ),
      )
    expect((await operator.send('GET', '/admin/v1/users')).json.data).toHaveLength(50)
    for (const [query, field] of [
      ['filter.role=agent', 'filter.role'],
      ['filter.status=gone', 'filter.status'],
      ['filter.tenantId=x', 'filter.tenantId'],
      ['limit=101', 'limit'],
      ['cursor=x', 'cursor'],
      ['filter.search=x&cursor=x', 'cursor'],
    ] as const)
      expect(await operator.send('GET', `/admin/v1/users?${query}`)).toMatchObject({ status: 400, field })
  })
})

describe('admin.users.suspend', () => {
  it('ends sessions, access tokens and API keys at once, and does not affect other users', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminToken, adminId, member, tenantId } = await app.team()
    await using door = await openKeyDoor(app)
    const { refreshToken } = (await logIn(app)).json
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId: adminId, name: 'nightly' })
    const stream = await app.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const followed = await door.fetch(
      new Request('http://copydesk.test/keys/v1/watch', { headers: { authorization: `ApiKey ${key}` } }),
    )
    expect(await suspend(operator, adminId)).toMatchObject({ status: 200, json: { suspended: true } })
    expect(await followed.text()).toContain('hello')
    expect(await stream.text()).not.toContain('error')
    expect(await me(app, adminToken)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(await sendTo(app, 'POST', '/auth/v1/refresh', { body: { refreshToken } })).toMatchObject({
      status: 401,
    })
    expect(await logIn(app)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    const request = new Request('http://copydesk.test/keys/v1/whoami', {
      headers: { authorization: `ApiKey ${key}` },
    })
    expect((await door.fetch(request)).status).toBe(401)
    expect(await member.call('auth', 'GET /me')).toMatchObject({ name: 'Mia Member' })
    const { data } = (
      await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?filter.action=user.suspend`)
    ).json
    expect(data).toMatchObject([
      { resourceId: adminId, before: { status: 'active' }, after: { status: 'suspended', reason: 'left' } },
    ])
  })

  it('rejects a concurrent login', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminId } = await app.team()
    const [login] = await Promise.all([logIn(app), suspend(operator, adminId)])
    expect([200, 403]).toContain(login.status)
    // Anyone who came first: nothing that the login gave is worth anything.
    const { accessToken = 'none', refreshToken = 'none' } = login.json
    expect((await me(app, accessToken)).status).toBe(401)
    expect((await sendTo(app, 'POST', '/auth/v1/refresh', { body: { refreshToken } })).status).toBe(401)
    expect(await app.db.sql.all('select id from sessions where user_id = ?', [adminId])).toEqual([])
  })

  it('rejects a suspended and an unknown user, and a missing reason', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminId } = await app.team()
    await expectRefused(app, () => suspend(operator, adminId, {}), { status: 400, field: 'reason' })
    await expectRefused(app, () => suspend(operator, unknownId), { status: 404, code: 'NOT_FOUND' })
    await suspend(operator, adminId)
    await expectRefused(app, () => suspend(operator, adminId), conflict)
    await app.db.write((tx) => tx.run(`update users set status = 'deactivated' where id = ?`, [adminId]))
    await expectRefused(app, () => suspend(operator, adminId), conflict)
    await expectRefused(app, () => reinstate(operator, adminId), conflict)
  })

  it('keeps the last super-admin active, also when two suspend each other concurrently', async () => {
    await using app = await createTestApp({ worker: false })
    const first = await createOperator(app)
    await expectRefused(app, () => suspend(first, first.id), conflict)
    const second = await createOperator(app, 'otto@test.example')
    const answers = await Promise.all([suspend(first, second.id), suspend(second, first.id)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const active = await app.db.sql.all(
      `select id from users where role = 'super_admin' and status = 'active'`,
    )
    expect(active).toHaveLength(1)
  })

  it('does not count a super-admin without the app manage', async () => {
    await using app = await createTestApp({ worker: false })
    const first = await createOperator(app)
    const second = await createOperator(app, 'otto@test.example')
    await app.db.write((tx) =>
      tx.run('update users set app_access = ? where id = ?', ['["dm-portal"]', second.id]),
    )
    await expectRefused(app, () => suspend(first, first.id), conflict)
    expect((await suspend(first, second.id)).status).toBe(200)
  })

  it('ends the caller’s own session when another super-admin remains', async () => {
    await using app = await createTestApp({ worker: false })
    const first = await createOperator(app)
    const second = await createOperator(app, 'otto@test.example')
    expect((await suspend(first, first.id)).status).toBe(200)
    expect((await first.send('GET', '/admin/v1/users')).status).toBe(401)
    expect((await reinstate(second, first.id)).status).toBe(200)
  })
})

describe('admin.users.reinstate', () => {
  it('lets the user log in again at once; ended sessions stay ended', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { adminId, adminToken, tenantId } = await app.team()
    for (let i = 0; i < 3; i += 1) {
      await suspend(operator, adminId)
      expect(await reinstate(operator, adminId)).toMatchObject({ status: 200, json: { reinstated: true } })
      const { accessToken } = (await logIn(app)).json
      expect(await me(app, accessToken)).toMatchObject({ status: 200, json: { id: adminId } })
      expect(await me(app, adminToken)).toMatchObject({ status: 401 })
    }
    const { data } = (
      await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?filter.action=user.reinstate`)
    ).json
    expect(data[0]).toMatchObject({ before: { status: 'suspended' }, after: { status: 'active' } })
  })

  it('rejects an active and an unknown user', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminId } = await app.team()
    await expectRefused(app, () => reinstate(operator, adminId), conflict)
    await expectRefused(app, () => reinstate(operator, unknownId), { status: 404, code: 'NOT_FOUND' })
  })
})
