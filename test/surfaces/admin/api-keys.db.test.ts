import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { openKeyDoor } from '../../kit/key-requests.ts'
import { createOperator, expectRefused, type Operator } from '../../kit/operator.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const dayMs = 86_400_000

const create = (operator: Operator, body: object) => operator.send('POST', '/admin/v1/api-keys', body)
const list = async (operator: Operator, query = '') =>
  (await operator.send('GET', `/admin/v1/api-keys?${query}`)).json
const revoke = (operator: Operator, id: string) => operator.send('DELETE', `/admin/v1/api-keys/${id}`)

const records = (app: TestApp, action: string) =>
  app.db.sql.all<Record<string, unknown>>('select * from audit_records where action = ? order by id', [
    action,
  ])

describe('admin.api_keys.create', () => {
  it('returns the key once, stores its hash, and writes an audit record', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { reviewerId, tenantId } = await app.team()
    const expiresAt = new Date(clock.now() + 90 * dayMs).toISOString()
    const body = { userId: reviewerId, name: ' nightly ', tenantIds: [tenantId], expiresAt }
    const { status, json } = await create(operator, body)
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^cdk_test_[0-9A-Za-z]{32}$/),
      name: 'nightly',
      userId: reviewerId,
      keyPreview: `${json.key.slice(0, 13)}…${json.key.slice(-4)}`,
      tenantIds: [tenantId],
      assistantAccess: 'read',
      expiresAt,
      createdOn: clock.date().toISOString(),
    })
    const [record] = await records(app, 'api_key.create')
    expect(record).toMatchObject({ resource_id: json.id, actor_id: operator.id, before: null })
    for (const table of ['api_keys', 'audit_records', 'event'])
      expect(JSON.stringify(await app.db.sql.all(`select * from ${table}`))).not.toContain(json.key)
    await using door = await openKeyDoor(app)
    const whoami = await door.fetch(
      new Request('http://copydesk.test/keys/v1/whoami', {
        headers: { authorization: `ApiKey ${json.key}` },
      }),
    )
    expect(await whoami.json()).toEqual({ id: reviewerId, type: 'api_key', scope: [tenantId] })
  })

  it('rejects invalid input, and creates no key', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { reviewerId: userId } = await app.team()
    const name = 'k'
    for (const [body, wanted] of [
      [{ name }, { status: 400, field: 'userId' }],
      [
        { userId, name: ' ' },
        { status: 400, field: 'name' },
      ],
      [
        { userId, name, tenantIds: [] },
        { status: 400, field: 'tenantIds' },
      ],
      [
        { userId, name, expiresAt: clock.date().toISOString() },
        { status: 400, field: 'expiresAt' },
      ],
      [
        { userId, name, expiresAt: 'tomorrow' },
        { status: 400, field: 'expiresAt' },
      ],
      [
        { userId, name, role: 'super_admin' },
        { status: 400, code: 'VALIDATION_ERROR' },
      ],
      [
        { userId: unknownId, name },
        { status: 404, code: 'NOT_FOUND' },
      ],
      [
        { userId, name, tenantIds: [unknownId] },
        { status: 404, code: 'NOT_FOUND' },
      ],
    ] as const)
      await expectRefused(app, () => create(operator, body), wanted)
  })
})

describe('admin.api_keys.list', () => {
  it('lists keys without their secrets, of one user or all, page by page', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { reviewerId, adminId } = await app.team()
    const made = []
    for (const [userId, name] of [
      [reviewerId, 'one'],
      [adminId, 'two'],
      [reviewerId, 'three'],
    ])
      made.push((await create(operator, { userId, name })).json)
    const [one, two, three] = made
    const all = await list(operator)
    expect(all.data.map(({ id }: { id: string }) => id)).toEqual([three.id, two.id, one.id])
    expect(all.data[2]).toEqual({
      id: one.id,
      name: 'one',
      userId: reviewerId,
      keyPreview: one.keyPreview,
      tenantIds: null,
      assistantAccess: 'read',
      expiresAt: null,
      lastUsedAt: null,
      status: 'active',
      createdOn: clock.date().toISOString(),
    })
    expect(JSON.stringify(all)).not.toContain(one.key)
    expect((await list(operator, `filter.userId=${adminId}`)).data).toMatchObject([{ name: 'two' }])
    const page = await list(operator, `filter.userId=${reviewerId}&limit=1`)
    expect(page.pagination).toEqual({ hasMore: true, nextCursor: three.id })
    const next = await list(operator, `filter.userId=${reviewerId}&limit=1&cursor=${three.id}`)
    expect(next).toMatchObject({ data: [{ name: 'one' }], pagination: { hasMore: false, nextCursor: null } })
    for (const query of ['limit=0', 'cursor=x', 'filter.userId=x'])
      expect(await operator.send('GET', `/admin/v1/api-keys?${query}`)).toMatchObject({ status: 400 })
  })

  it('shows which keys have expired, and when each was last used', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { reviewerId: userId } = await app.team()
    const expiresAt = new Date(clock.now() + dayMs).toISOString()
    const short = (await create(operator, { userId, name: 'short', expiresAt })).json
    const gone = (await create(operator, { userId, name: 'gone', expiresAt })).json
    await using door = await openKeyDoor(app)
    const ask = (key: string) =>
      door.fetch(
        new Request('http://copydesk.test/keys/v1/whoami', { headers: { authorization: `ApiKey ${key}` } }),
      )
    expect((await ask(short.key)).status).toBe(200)
    const used = clock.date().toISOString()
    await app.until(async () => {
      clock.advance(5_000)
      return (await list(operator)).data[1].lastUsedAt === used
    }, 'the use is stamped')
    await revoke(operator, gone.id)
    clock.advance(dayMs)
    await operator.renew()
    const states = (await list(operator)).data.map(({ name, status }: Record<string, string>) => [
      name,
      status,
    ])
    expect(states).toEqual([
      ['gone', 'revoked'],
      ['short', 'expired'],
    ])
    expect((await ask(short.key)).status).toBe(401)
  })
})

describe('admin.api_keys.revoke', () => {
  it('revokes the key and closes its streams at once, also on another server', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { reviewerId: userId } = await app.team()
    await using door = await openKeyDoor(app)
    const { id, key } = (await create(operator, { userId, name: 'k' })).json
    const stays = (await create(operator, { userId, name: 'stays' })).json
    const by = (token: string, path: string) =>
      door.fetch(
        new Request(`http://copydesk.test/keys/v1/${path}`, {
          headers: { authorization: `ApiKey ${token}` },
        }),
      )
    const stream = await by(key, 'watch')
    expect(stream.status).toBe(200)
    const { status, text } = await revoke(operator, id)
    expect([status, text]).toEqual([204, ''])
    expect((await by(key, 'whoami')).status).toBe(401)
    expect(await stream.text()).toContain('hello')
    expect((await by(stays.key, 'whoami')).status).toBe(200)
    expect(await records(app, 'api_key.revoke')).toHaveLength(1)
    // What is over already is not told again.
    const before = await app.db.sql.all(`select * from event where type = 'access_revoked'`)
    expect((await revoke(operator, id)).status).toBe(204)
    expect(await app.db.sql.all(`select * from event where type = 'access_revoked'`)).toEqual(before)
    expect((await list(operator)).data[1]).toMatchObject({ id, status: 'revoked' })
  })

  it('returns 404 for unknown keys', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    for (const id of [unknownId, 'x'])
      await expectRefused(app, () => revoke(operator, id), { status: 404, code: 'NOT_FOUND' })
  })
})
