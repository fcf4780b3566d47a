import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { pipeline } from '../../packages/core/src/gateway/pipeline.ts'
import { DomainError } from '../../packages/core/src/kernel/errors.ts'
import { isUlid } from '../../packages/core/src/platform/clock.ts'
import { isoDate } from '../../packages/core/src/platform/wire.ts'
import { adminOnly, createRig, errorOf, listen, publicAccess, someId, team, tenantA } from './rig.ts'

const thing = z.object({ id: z.string(), at: isoDate })
const at = new Date('2026-01-02T03:04:05.000Z')

const show = endpoint({
  id: 'dashboard.things.show',
  route: 'GET /things/:thingId',
  summary: 'Show',
  access: team,
  reply: { 200: thing },
  errors: ['NOT_FOUND'],
}).handle(async (ctx, { params }) => {
  if (params.thingId !== someId) throw new DomainError('NOT_FOUND', 'Thing not found')
  return { id: ctx.scope[0] as string, at, secret: 'hash' }
})

const create = endpoint({
  id: 'dashboard.things.create',
  route: 'POST /things',
  summary: 'Create',
  access: adminOnly,
  body: z.object({ name: z.string(), parts: z.array(z.object({ quantity: z.int() })).optional() }),
  reply: { 201: z.object({ name: z.string() }) },
  audit: 'thing.create',
}).handle(async (_ctx, { body }) => ({ name: body.name }))

const remove = endpoint({
  id: 'dashboard.things.remove',
  route: 'DELETE /things/:thingId',
  summary: 'Remove',
  access: team,
  reply: { 204: z.void() },
}).handle(async (ctx) => {
  ctx.trace.audited = true
})

const broken = endpoint({
  id: 'dashboard.broken',
  route: 'GET /broken/:how',
  summary: 'Break',
  access: team,
  reply: { 200: z.object({ n: z.number() }) },
}).handle(async (_ctx, { params }) => {
  if (params.how === 'undeclared') throw new DomainError('CONFLICT', 'No one said so')
  if (params.how === 'reply') return { n: 'secret' as never }
  throw new Error('password=hunter2')
})

const login = endpoint({
  id: 'dashboard.login',
  route: 'POST /login',
  summary: 'Log in',
  access: publicAccess,
  body: z.object({ email: z.string() }),
  reply: { 200: z.object({ actor: z.boolean() }) },
  limit: { requests: 2, perSeconds: 900, by: 'ip', field: 'email' },
}).handle(async (ctx) => ({ actor: ctx.actor !== undefined }))

const all = [show, create, remove, broken, login]

describe('pipeline', () => {
  it('runs its stages in the order of the contract', () => {
    expect(pipeline.map((step) => step.name)).toEqual([
      'request id',
      'client address',
      'draining',
      'authentication',
      'tenant',
      'surface access',
      'assistant',
      'rate limit',
      'throttle',
      'request log',
      'input',
      'endpoint limit',
      'idempotency',
      'handler',
      'audit',
      'count',
      'idempotent answer',
      'answer',
      'release',
      'response log',
    ])
  })

  it('returns exactly what the schema declares', async () => {
    const { call } = createRig(all)
    const response = await call('GET', `/dashboard/v1/things/${someId}`, { as: 'member' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ id: tenantA, at: '2026-01-02T03:04:05.000Z' })
    expect(isUlid(response.headers.get('x-request-id') ?? '')).toBe(true)
    expect(response.headers.get('x-ratelimit-limit')).toBe('300')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('299')
    expect(response.headers.get('x-ratelimit-reset')).toBe('1800000060')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('logs the request id of the caller, and never adopts it', async () => {
    const { call, lines } = createRig(all)
    const response = await call('GET', `/dashboard/v1/things/${someId}`, {
      as: 'member',
      headers: { 'x-request-id': someId },
    })
    const requestId = response.headers.get('x-request-id')
    expect(requestId).not.toBe(someId)
    expect(lines[0]).toMatchObject({
      message: 'request',
      requestId,
      clientRequestId: someId,
      method: 'GET',
      path: `/dashboard/v1/things/${someId}`,
      surface: 'dashboard',
      userId: 'U-member',
      tenantId: tenantA,
      clientIp: '127.0.0.1',
      userAgent: null,
    })
    expect(lines[0]?.level).toBe('debug')
    expect(lines[1]).toMatchObject({
      ...lines[0],
      level: 'info',
      message: 'response',
      status: 200,
      durationMs: 0,
    })
    expect(lines[1]?.responseBytes).toBe((await response.text()).length)
  })

  it.each([
    ['no credential', {}, 401, 'UNAUTHORIZED'],
    ['a scheme that is not known', { headers: { authorization: 'Basic eDp5' } }, 401, 'UNAUTHORIZED'],
    [
      'an API key where only tokens are taken',
      { headers: { authorization: 'ApiKey k' } },
      401,
      'UNAUTHORIZED',
    ],
    ['a forged token', { as: 'forged' }, 401, 'INVALID_TOKEN'],
    ['an expired token', { as: 'expired' }, 401, 'TOKEN_EXPIRED'],
    ['another role', { as: 'reviewer' }, 403, 'FORBIDDEN'],
  ])('refuses %s', async (_what, init, status, code) => {
    const { call, lines, audits } = createRig(all)
    const response = await call('POST', '/dashboard/v1/things', { json: { name: 'x' }, ...init })
    expect(isUlid(response.headers.get('x-request-id') ?? '')).toBe(true)
    expect(response.headers.get('x-ratelimit-limit')).toBe('300')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('299')
    expect(await errorOf(response)).toEqual({ status, code })
    expect(audits).toEqual([])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ message: 'response', status, path: '/dashboard/v1/things' })
    const challenges: Record<string, string | null> = {
      TOKEN_EXPIRED: 'Bearer error="expired_token"',
      INVALID_TOKEN: 'Bearer error="invalid_token"',
      UNAUTHORIZED: 'Bearer',
    }
    expect(response.headers.get('www-authenticate')).toBe(challenges[code] ?? null)
  })

  it('rejects a member where an admin is required, before it reads the body', async () => {
    const { call } = createRig(all)
    const response = await call('POST', '/dashboard/v1/things', { as: 'member', body: '{' })
    expect(await errorOf(response)).toEqual({ status: 403, code: 'FORBIDDEN' })
  })

  it('lets an observer read the dashboard and change nothing', async () => {
    const { call } = createRig(all)
    expect((await call('GET', `/dashboard/v1/things/${someId}`, { as: 'observer' })).status).toBe(200)
    const response = await call('DELETE', `/dashboard/v1/things/${someId}`, { as: 'observer' })
    expect(await errorOf(response)).toEqual({ status: 403, code: 'FORBIDDEN' })
  })

  it('returns 404 for an invalid ULID and an unknown path', async () => {
    const { call } = createRig(all)
    for (const path of ['/things/42', `/things/${someId.toLowerCase()}`, '/things/%E0%A4', '/nothing', '/']) {
      const response = await call('GET', `/dashboard/v1${path}`, { as: 'member' })
      expect(await errorOf(response), path).toEqual({ status: 404, code: 'NOT_FOUND' })
      expect(response.headers.has('x-ratelimit-limit')).toBe(true)
    }
    expect(await errorOf(await call('GET', '/elsewhere'))).toEqual({ status: 404, code: 'NOT_FOUND' })
    expect(await errorOf(await call('GET', '/dashboard/v10/things'))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
    })
  })

  it('returns 405 for a wrong method, with the methods of the path', async () => {
    const { call } = createRig(all)
    const response = await call('PUT', `/dashboard/v1/things/${someId}`, { as: 'member', json: {} })
    expect(response.headers.get('allow')).toBe('DELETE, GET, HEAD')
    expect(await errorOf(response)).toEqual({ status: 405, code: 'METHOD_NOT_ALLOWED' })
  })

  it('checks the access matrix before the router', async () => {
    const { call } = createRig(all)
    expect(await errorOf(await call('GET', '/dashboard/v1/nothing'))).toMatchObject({ status: 401 })
    expect(await errorOf(await call('GET', '/dashboard/v1/nothing', { as: 'reviewer' }))).toMatchObject({
      status: 403,
    })
  })

  it('reveals nothing of an unexpected error and logs all of it', async () => {
    const { call, lines, undeclared } = createRig(all)
    for (const how of ['boom', 'reply']) {
      const response = await call('GET', `/dashboard/v1/broken/${how}`, { as: 'member' })
      const text = await response.text()
      expect(response.status).toBe(500)
      expect(text).toContain('INTERNAL_ERROR')
      expect(text).not.toMatch(/hunter2|secret/)
      const requestId = response.headers.get('x-request-id')
      expect(lines.filter((line) => line.level === 'error').at(-1)).toMatchObject({ requestId })
    }
    expect(undeclared).toEqual([])
  })

  it('logs an error code that the endpoint does not declare', async () => {
    const { call, undeclared } = createRig(all)
    const response = await call('GET', '/dashboard/v1/broken/undeclared', { as: 'member' })
    expect(await errorOf(response)).toEqual({ status: 409, code: 'CONFLICT' })
    expect(undeclared).toMatchObject([{ endpoint: 'dashboard.broken', code: 'CONFLICT' }])
  })

  it('audits a successful write once, unless its own transaction did', async () => {
    const { call, audits } = createRig(all)
    await call('GET', `/dashboard/v1/things/${someId}`, { as: 'admin' })
    await call('DELETE', `/dashboard/v1/things/${someId}`, { as: 'admin' })
    await call('POST', '/dashboard/v1/things', { as: 'admin', json: { name: 1 } })
    expect(audits).toEqual([])
    const response = await call('POST', '/dashboard/v1/things', { as: 'admin', json: { name: 'x' } })
    expect(response.status).toBe(201)
    expect(audits).toHaveLength(1)
    expect(audits[0]?.entry).toEqual({ resourceType: 'things', resourceId: null })
    expect(audits[0]?.ctx.trace).toMatchObject({ action: 'thing.create', status: 201, method: 'POST' })
  })

  it('serves a public endpoint without checking credentials', async () => {
    const { call } = createRig(all)
    const response = await call('POST', '/dashboard/v1/login', { as: 'forged', json: { email: 'a' } })
    expect(await response.json()).toEqual({ actor: false })
  })

  it('responds to HEAD like GET, without the body', async () => {
    const { gateway, call } = createRig(all)
    const response = await call('HEAD', `/dashboard/v1/things/${someId}`, { as: 'member' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe('67')
    expect(await response.text()).toBe('')
    await using server = await listen(gateway.node)
    const overWire = await fetch(`${server.url}/dashboard/v1/things/${someId}`, {
      method: 'HEAD',
      headers: { authorization: 'Bearer member' },
    })
    expect(overWire.headers.get('content-length')).toBe('67')
  })

  it('responds over a node server as over fetch', async () => {
    const { gateway } = createRig(all)
    await using server = await listen(gateway.node)
    const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' }
    const one = await fetch(`${server.url}/dashboard/v1/things/${someId}`, { headers })
    expect(await one.json()).toEqual({ id: tenantA, at: '2026-01-02T03:04:05.000Z' })
    expect(one.headers.get('x-ratelimit-remaining')).toBe('299')
    const gone = await fetch(`${server.url}/dashboard/v1/things/${someId}`, { method: 'DELETE', headers })
    expect([gone.status, await gone.text(), gone.headers.get('content-length')]).toEqual([204, '', null])
    const wrong = await fetch(`${server.url}/dashboard/v1/things`, { method: 'POST', headers, body: '{}' })
    expect(await errorOf(wrong)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field: 'name' })
    const malformed = await fetch(`${server.url}/dashboard/v1/%E0%A4`, { headers })
    expect(await errorOf(malformed)).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})
