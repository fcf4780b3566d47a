import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type KeyDoors, openKeyDoors } from '../../kit/key-endpoints.ts'

let app: TestApp
let doors: KeyDoors
let one: Team
let two: Team
/** A reviewer of both tenants. */
let reviewerId: string
let reviewerToken: string
let system: ReturnType<TestApp['copydesk']['asSystem']>
let calls = 0

const tables = entities.map((entity) => entity.meta.tableName)

beforeAll(async () => {
  app = await createTestApp({ clock: createTestClock(), worker: false })
  one = await app.team()
  two = await app.team()
  system = app.copydesk.asSystem()
  reviewerId = one.reviewerId
  await system.users.assign(reviewerId, two.tenantId)
  const body = { email: 'reviewer.1.tenant-1@test.example', password, app: 'dm-portal' as const }
  reviewerToken = (await app.clientFor().call('auth', 'POST /login', { body })).accessToken
  doors = await openKeyDoors(app)
})

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const make = (input: Partial<Parameters<typeof system.apiKeys.create>[0]> = {}) =>
  system.apiKeys.create({ userId: reviewerId, name: 'nightly', ...input })

/** The tenants that a key opens at the terminal, or the refusal. */
async function tenantsOf(key: string, query = '', headers: Record<string, string> = {}) {
  const { status, code, body } = await doors.ask(`ApiKey ${key}`, `/cli/v1/who-am-i${query}`, headers)
  return body ? body.scope : `${status} ${code}`
}

const refused = { status: 401, code: 'UNAUTHORIZED' }

describe('the tenants of a key', () => {
  it('are those of its owner, or those that it was restricted to', async () => {
    const both = [one.tenantId, two.tenantId]
    const wide = (await make()).key
    const narrow = (await make({ tenantIds: [two.tenantId] })).key
    expect(await tenantsOf(wide)).toEqual(both)
    expect(await tenantsOf(narrow)).toEqual([two.tenantId])
    for (const [key, tenantId] of [
      [wide, one.tenantId],
      [wide, two.tenantId],
      [narrow, two.tenantId],
    ] as const) {
      expect(await tenantsOf(key, `?tenantId=${tenantId}`)).toEqual([tenantId])
      expect(await tenantsOf(key, '', { 'x-tenant-id': tenantId })).toEqual([tenantId])
      expect(await tenantsOf(key, `?tenantId=${tenantId}`, { 'x-tenant-id': tenantId })).toEqual([tenantId])
    }
    expect(await tenantsOf(narrow, `?tenantId=${one.tenantId}`)).toBe('403 FORBIDDEN')
    expect(await tenantsOf(narrow, '', { 'x-tenant-id': one.tenantId })).toBe('403 FORBIDDEN')
    const differing = await doors.ask(`ApiKey ${wide}`, `/cli/v1/who-am-i?tenantId=${one.tenantId}`, {
      'x-tenant-id': two.tenantId,
    })
    expect(differing).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'tenantId' })
  })

  it('never exceed those of its owner, which may change', async () => {
    const stranger = (await app.team()).tenantId
    const { key } = await make({ tenantIds: [one.tenantId, two.tenantId, stranger] })
    const nothing = (await make({ tenantIds: [stranger] })).key
    await expect(make({ tenantIds: [] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'tenantIds',
    })
    expect(await tenantsOf(key)).toEqual([one.tenantId, two.tenantId])
    for (const query of [`?tenantId=${stranger}`, '?tenantId=01ARZ3NDEKTSV4RRFFQ69G5FAV', '?tenantId='])
      expect(await tenantsOf(key, query), query).toBe('403 FORBIDDEN')
    expect(await tenantsOf(nothing)).toEqual([])
    expect(await tenantsOf(nothing, `?tenantId=${one.tenantId}`)).toBe('403 FORBIDDEN')
    const place = [reviewerId, two.tenantId]
    await app.db.write((tx) =>
      tx.run('delete from tenant_assignments where user_id = ? and tenant_id = ?', place),
    )
    expect(await tenantsOf(key)).toEqual([one.tenantId])
    expect(await tenantsOf(key, `?tenantId=${two.tenantId}`)).toBe('403 FORBIDDEN')
    await system.users.assign(reviewerId, two.tenantId)
    await expect(make({ tenantIds: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('are all tenants for a super-admin, unless the key is restricted', async () => {
    const { id: userId } = await system.users.create({
      email: 'root@test.example',
      name: 'Root',
      password,
      role: 'super_admin',
    })
    const wide = (await make({ userId })).key
    const narrow = (await make({ userId, tenantIds: [one.tenantId] })).key
    expect(await tenantsOf(wide)).toBe('all')
    expect(await tenantsOf(wide, `?tenantId=${two.tenantId}`)).toEqual([two.tenantId])
    expect(await tenantsOf(narrow)).toEqual([one.tenantId])
    expect(await tenantsOf(narrow, `?tenantId=${two.tenantId}`)).toBe('403 FORBIDDEN')
  })

  it('are limited by its restriction on endpoints of the caller’s tenant and of all tenants', async () => {
    const seen = async (key: string, rule: 'claim' | 'all') =>
      (await doors.ask(`ApiKey ${key}`, `/${rule}/v1/who-am-i`)).body?.scope
    const { id: userId } = await system.users.create({
      email: 'narrow@test.example',
      name: 'Narrow',
      password,
      role: 'super_admin',
    })
    const root = (await make({ userId })).key
    const rootOfOne = (await make({ userId, tenantIds: [one.tenantId] })).key
    expect([await seen(root, 'all'), await seen(rootOfOne, 'all')]).toEqual(['all', [one.tenantId]])
    const own = (await make({ userId: one.adminId, tenantIds: [one.tenantId] })).key
    const elsewhere = (await make({ userId: one.adminId, tenantIds: [two.tenantId] })).key
    expect([await seen(own, 'claim'), await seen(elsewhere, 'claim')]).toEqual([[one.tenantId], []])
    expect([await seen(own, 'all'), await seen(elsewhere, 'all')]).toEqual([[], []])
  })

  it('must be exactly one on endpoints of one tenant: the only one, or that of X-Tenant-Id', async () => {
    const health = async (key: string, named?: string) => {
      const headers: Record<string, string> = named === undefined ? {} : { 'x-tenant-id': named }
      const { status, code, field, body } = await doors.ask(
        `ApiKey ${key}`,
        '/agent/v1/health/analyst',
        headers,
      )
      return body ? (body as unknown as { tenantId: string }).tenantId : `${status} ${code} ${field}`
    }
    const wide = (await make()).key
    const narrow = (await make({ tenantIds: [two.tenantId] })).key
    const own = (await make({ userId: one.adminId })).key
    expect(await health(own)).toBe(one.tenantId)
    expect(await health(narrow)).toBe(two.tenantId)
    expect(await health(wide)).toBe('400 VALIDATION_ERROR tenantId')
    expect(await health(wide, two.tenantId)).toBe(two.tenantId)
    expect(await health(narrow, one.tenantId)).toBe('403 FORBIDDEN undefined')
    expect(await health(own, two.tenantId)).toBe('403 FORBIDDEN undefined')
  })
})

describe('a key as a credential', () => {
  it('is accepted in one header with its own scheme only', async () => {
    const { key } = await make()
    for (const authorization of [`ApiKey ${key}`, `apikey ${key}`, `APIKEY   ${key} `])
      expect((await doors.ask(authorization)).status, authorization).toBe(200)
    for (const authorization of [key, `ApiKey ${key} ${key}`, 'ApiKey', `Basic ${key}`, `ApiKey:${key}`])
      expect(await doors.ask(authorization), authorization).toMatchObject(refused)
    expect(await doors.ask(`Bearer ${key}`)).toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
    expect(await doors.ask(`ApiKey ${reviewerToken}`)).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
    for (const name of ['x-api-key', 'api-key', 'x-authorization', 'cookie'])
      expect((await doors.fetch('/cli/v1/who-am-i', { headers: { [name]: key } })).status, name).toBe(401)
    for (const name of ['apiKey', 'api_key', 'key', 'access_token', 'authorization'])
      expect((await doors.fetch(`/cli/v1/who-am-i?${name}=${key}`)).status, name).toBe(401)
  })

  it('is rejected together with a token: neither of the two counts', async () => {
    const { key } = await make()
    for (const pair of [
      [`ApiKey ${key}`, `Bearer ${reviewerToken}`],
      [`Bearer ${reviewerToken}`, `ApiKey ${key}`],
      [`ApiKey ${key}`, `ApiKey ${key}`],
    ]) {
      const headers = new Headers(pair.map((value) => ['authorization', value]))
      const response = await doors.fetch('/cli/v1/who-am-i', { headers })
      expect([response.status, (await response.json()).error.code]).toEqual([401, 'UNAUTHORIZED'])
    }
  })

  it('is rejected by endpoints that do not accept keys, whoever owns it, without an audit record', async () => {
    const closed = describeSurfaces().filter(
      ({ access }) => !access.public && !access.credentials.includes('apikey'),
    )
    expect(closed.length).toBeGreaterThan(30)
    for (const userId of [one.adminId, reviewerId]) {
      const { key } = await make({ userId })
      const before = await contents(app, tables)
      for (const { id, method, path, definition } of closed) {
        const body = definition.body ? { body: '{}' } : {}
        const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }
        const at = path.replace(/:\w+/g, '01ARZ3NDEKTSV4RRFFQ69G5FAV')
        const response = await app.fetch(at, { method, headers, ...body }, { ip: `10.9.0.${(calls += 1)}` })
        expect([id, response.status, (await response.json()).error.code]).toEqual([id, 401, 'UNAUTHORIZED'])
      }
      expect(await contents(app, tables)).toEqual(before)
    }
  })

  it('has to satisfy the roles of an endpoint', async () => {
    const { key } = await make({ userId: one.adminId })
    expect(await doors.ask(`ApiKey ${key}`)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })
})
