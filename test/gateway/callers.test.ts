import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DomainError } from '../../packages/core/src/domain/errors.ts'
import { access } from '../../packages/core/src/gateway/access.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { isoDate } from '../../packages/core/src/platform/wire.ts'
import { createRig, errorOf, publicAccess, runId, someId, team, tenantA, tenantB } from './rig.ts'

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

describe('tenant rules', () => {
  const where = endpoint({
    id: 'dm.where',
    route: 'GET /where',
    summary: 'Show the scope',
    access: access({ roles: ['reviewer'], app: 'dm-portal' }),
    reply: { 200: z.array(z.string()) },
  }).handle(async (ctx) => [ctx.scope].flat())
  const rig = (tenant: 'query' | 'query-or-header') => createRig([where], { surface: { tenant } })

  it('takes the tenant from the query, or all that are assigned', async () => {
    const { call } = rig('query')
    const ask = async (query: string) =>
      (await call('GET', `/dashboard/v1/where${query}`, { as: 'reviewer' })).json()
    expect(await ask('')).toEqual([tenantA, tenantB])
    expect(await ask(`?tenantId=${tenantB}`)).toEqual([tenantB])
    const foreign = await call('GET', `/dashboard/v1/where?tenantId=${someId}`, { as: 'reviewer' })
    expect(await errorOf(foreign)).toEqual({ status: 403, code: 'FORBIDDEN' })
  })

  it('takes it from the header too, unless the two differ', async () => {
    const { call } = rig('query-or-header')
    const headers = { 'x-tenant-id': tenantB }
    const one = await call('GET', '/dashboard/v1/where', { as: 'reviewer', headers })
    expect(await one.json()).toEqual([tenantB])
    const both = await call('GET', `/dashboard/v1/where?tenantId=${tenantA}`, { as: 'reviewer', headers })
    expect(await errorOf(both)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field: 'tenantId' })
  })

  it('refuses a task token for another run', async () => {
    const status = endpoint({
      id: 'agent.status',
      route: 'GET /runs/:runId/status',
      summary: 'Show a run',
      access: access({ roles: ['agent'], credentials: ['task'] }),
      reply: { 200: z.object({}) },
    }).handle(async () => ({}))
    const { call } = createRig([status], { surface: { tenant: 'run' } })
    expect((await call('GET', `/dashboard/v1/runs/${runId}/status`, { as: 'task' })).status).toBe(200)
    const other = await call('GET', `/dashboard/v1/runs/${someId}/status`, { as: 'task' })
    expect(await errorOf(other)).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  })
})

describe('client address', () => {
  const ip = raw({
    id: 'dashboard.ip',
    route: 'GET /ip',
    summary: 'Show the address',
    access: publicAccess,
    reply: { 200: 'text/plain' },
  }).handle(async (_ctx, input) => ({ body: input.ip }))

  it('believes X-Forwarded-For only from a trusted proxy', async () => {
    const { call } = createRig([ip])
    const headers = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' }
    const ask = async (from: string) => (await call('GET', '/dashboard/v1/ip', { from, headers })).text()
    expect(await ask('127.0.0.1')).toBe('203.0.113.9')
    expect(await ask('::1')).toBe('203.0.113.9')
    expect(await ask('::ffff:127.0.0.1')).toBe('203.0.113.9')
    expect(await ask('198.51.100.7')).toBe('198.51.100.7')
    expect(() => createRig([ip], { options: { trustProxy: ['proxy.local'] } })).toThrow('trustProxy')
  })
})

describe('CORS', () => {
  const options = { cors: { origins: ['https://app.example.com'] } }
  it('answers preflights of listed origins only', async () => {
    const { call } = createRig([show], { options })
    const ask = (origin: string) =>
      call('OPTIONS', `/dashboard/v1/things/${someId}`, {
        headers: { origin, 'access-control-request-method': 'GET' },
      })
    const good = await ask('https://app.example.com')
    expect(good.status).toBe(204)
    expect(good.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(good.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    const bad = await ask('https://evil.example.com')
    expect(bad.status).toBe(401)
    expect(bad.headers.get('access-control-allow-origin')).toBe(null)
  })

  it('adds nothing without a list', async () => {
    const { call } = createRig([show])
    const response = await call('GET', `/dashboard/v1/things/${someId}`, {
      as: 'member',
      headers: { origin: 'https://app.example.com' },
    })
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})
