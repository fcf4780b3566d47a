import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { createRig, errorOf, listen, publicAccess, team } from './rig.ts'

describe('endpoint options', () => {
  it('names the failing query parameter and ignores unknown ones', async () => {
    const list = endpoint({
      id: 'd.list',
      route: 'GET /list',
      summary: 'List',
      access: team,
      query: z.object({ 'filter.kind': z.enum(['a', 'b']).optional() }),
      reply: { 200: z.object({ kind: z.string().optional() }) },
    }).handle(async (_ctx, { query }) => ({ kind: query['filter.kind'] }))
    const { call } = createRig([list])
    const good = await call('GET', '/dashboard/v1/list?filter.kind=a&other=1&__proto__=x', { as: 'member' })
    expect(await good.json()).toEqual({ kind: 'a' })
    for (const query of ['filter.kind=c', 'filter.kind=a&filter.kind=b', 'filter.kind=%00']) {
      const bad = await call('GET', `/dashboard/v1/list?${query}`, { as: 'member' })
      expect(await errorOf(bad), query).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        field: 'filter.kind',
      })
    }
  })

  it('passes the raw bytes to a raw endpoint, and sends its response', async () => {
    const hook = raw({
      id: 'pg.webhook',
      route: 'POST /webhook',
      summary: 'Take an event',
      access: publicAccess,
      reply: { 200: 'application/json', 302: '' },
    }).handle(async (_ctx, { body, header }) => ({
      status: body.length === 0 ? 302 : 200,
      headers: body.length === 0 ? { location: '/x' } : {},
      body: body.length === 0 ? null : `{"got":"${Buffer.from(body).toString('hex')}${header('X-Sig')}"}`,
    }))
    const { call, gateway } = createRig([hook])
    const response = await call('POST', '/dashboard/v1/webhook', {
      body: new Uint8Array([0, 255]),
      headers: { 'x-sig': '!' },
    })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ got: '00ff!' })
    await using server = await listen(gateway.node)
    const redirect = await fetch(`${server.url}/dashboard/v1/webhook`, { method: 'POST', redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/x'])
  })

  it('sends a raw body in chunks', async () => {
    const file = raw({
      id: 'm.file',
      route: 'GET /file',
      summary: 'Send a file',
      access: publicAccess,
      reply: { 200: 'application/octet-stream' },
    }).handle(async () => ({
      body: (async function* () {
        for (let i = 0; i < 50; i += 1) yield Buffer.alloc(100_000, i)
      })(),
    }))
    const { call, gateway, lines } = createRig([file])
    await using server = await listen(gateway.node)
    const bodies = [await call('GET', '/dashboard/v1/file'), await fetch(`${server.url}/dashboard/v1/file`)]
    for (const response of bodies) expect((await response.arrayBuffer()).byteLength).toBe(5_000_000)
    const done = lines.filter((line) => line.message === 'response').map((line) => line.responseBytes)
    expect(done).toEqual([5_000_000, 5_000_000])
  })
})

describe('surface', () => {
  const make = (route: 'GET /a/:x' | 'GET /a/:y' | 'GET /a/b', id: string) =>
    endpoint({ id, route, summary: id, access: team, reply: { 200: z.object({ id: z.string() }) } }).handle(
      async () => ({ id }),
    )
  const spec = {
    name: 's',
    prefix: '/s',
    access: team,
    tenant: 'claim',
    limits: { perMinute: 1, burst: 0, by: 'user' },
  } as const

  it('rejects two endpoints with one route or one id', () => {
    expect(() =>
      surface({ ...spec, endpoints: [make('GET /a/:x', 'one'), make('GET /a/:y', 'two')] }),
    ).toThrow('Surface s: one and two both serve GET /a/:y')
    expect(() =>
      surface({ ...spec, endpoints: [make('GET /a/:x', 'one'), make('GET /a/b', 'one')] }),
    ).toThrow('two endpoints have the id one')
  })

  it('prefers literal segments, whatever the order of the list', async () => {
    for (const endpoints of [
      [make('GET /a/:x', 'param'), make('GET /a/b', 'literal')],
      [make('GET /a/b', 'literal'), make('GET /a/:x', 'param')],
    ]) {
      const { call } = createRig(endpoints)
      const ask = async (path: string) => (await call('GET', `/dashboard/v1${path}`, { as: 'member' })).json()
      expect(await ask('/a/b')).toEqual({ id: 'literal' })
      expect(await ask('/a/c')).toEqual({ id: 'param' })
    }
  })
})
