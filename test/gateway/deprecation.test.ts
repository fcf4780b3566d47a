import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { delegate } from '../../packages/core/src/gateway/delegate.ts'
import type { Deprecation } from '../../packages/core/src/gateway/deprecation.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { toOpenApi } from '../../packages/core/src/gateway/openapi.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { createRig, listen, team } from './rig.ts'

const make = (id: string, deprecated?: Deprecation) =>
  endpoint({
    id,
    route: `GET /${id}`,
    summary: id,
    access: team,
    reply: { 200: z.object({}) },
    ...(deprecated && { deprecated }),
  }).handle(async () => ({}))

const spring: Deprecation = { since: '2026-03-01', sunset: '2027-03-01' }
const autumn: Deprecation = {
  since: '2026-09-30',
  sunset: '2028-01-15',
  link: 'https://desk.example.com/docs/v2',
}
const told = (response: Response) =>
  ['deprecation', 'sunset', 'link'].map((name) => response.headers.get(name))
const ofSpring = ['@1772323200', 'Mon, 01 Mar 2027 00:00:00 GMT', null]
const ofAutumn = [
  '@1790726400',
  'Sat, 15 Jan 2028 00:00:00 GMT',
  '<https://desk.example.com/docs/v2>; rel="deprecation"',
]
const nothing = [null, null, null]

const base = {
  name: 's',
  prefix: '/s/v1',
  access: team,
  tenant: 'claim',
  limits: { perMinute: 300, burst: 0, by: 'user' },
} as const

describe('deprecation', () => {
  it('is announced by every response of an endpoint, errors too, and by no other', async () => {
    const { call } = createRig([make('old', autumn), make('new')])
    expect(told(await call('GET', '/dashboard/v1/old', { as: 'member' }))).toEqual(ofAutumn)
    expect(told(await call('GET', '/dashboard/v1/old', { as: 'forged' }))).toEqual(ofAutumn)
    expect(told(await call('GET', '/dashboard/v1/new', { as: 'member' }))).toEqual(nothing)
    expect(told(await call('GET', '/dashboard/v1/gone', { as: 'member' }))).toEqual(nothing)
  })

  it('is announced by all endpoints of a surface, unless an endpoint has a separate notice', async () => {
    const live = eventStream({
      id: 'live',
      route: 'GET /live',
      summary: 'Watch',
      access: team,
      events: {},
      open() {},
    })
    const { call, gateway } = createRig([make('old', autumn), make('plain'), live], {
      surface: { deprecated: spring },
    })
    expect(told(await call('GET', '/dashboard/v1/plain', { as: 'member' }))).toEqual(ofSpring)
    expect(told(await call('GET', '/dashboard/v1/old', { as: 'member' }))).toEqual(ofAutumn)
    const missing = await call('GET', '/dashboard/v1/nothing', { as: 'member' })
    expect([missing.status, ...told(missing)]).toEqual([404, ...ofSpring])
    const stream200 = await call('GET', '/dashboard/v1/live', { as: 'member' })
    expect(told(stream200)).toEqual(ofSpring)
    await stream200.body?.cancel()
    await using server = await listen(gateway.node)
    const headers = { authorization: 'Bearer member' }
    expect(told(await fetch(`${server.url}/dashboard/v1/old`, { headers }))).toEqual(ofAutumn)
    expect((await gateway.endpoints()).map(({ id, deprecated }) => [id, deprecated])).toEqual([
      ['old', autumn],
      ['plain', spring],
      ['live', spring],
    ])
  })

  it('is in the OpenAPI document', () => {
    const operations = (deprecated?: Deprecation) => {
      const door = surface({
        ...base,
        endpoints: [make('old', autumn), make('plain')],
        ...(deprecated && { deprecated }),
      })
      const { paths } = toOpenApi([door], { title: 't', version: '1' }) as {
        paths: Record<string, { get: { deprecated?: boolean } }>
      }
      return ['/s/v1/old', '/s/v1/plain'].map((path) => paths[path]?.get.deprecated)
    }
    expect(operations()).toEqual([true, undefined])
    expect(operations(spring)).toEqual([true, true])
  })

  it('is not inherited by the surface that an endpoint is delegated to', async () => {
    const there = delegate(make('old', autumn), { id: 'there', route: 'GET /there', access: team })
    const { call } = createRig([there])
    expect(told(await call('GET', '/dashboard/v1/there', { as: 'member' }))).toEqual(nothing)
  })

  it('allows twelve months, to the day', () => {
    const build = (deprecated: Deprecation) => surface({ ...base, endpoints: [], deprecated })
    expect(() => build({ since: '2026-05-31', sunset: '2027-05-31' })).not.toThrow()
    expect(() => build({ since: '2026-05-31', sunset: '2027-05-30' })).toThrow(
      'Surface s: is deprecated since 2026-05-31 and cannot be gone before 2027-05-31',
    )
    expect(() => build({ since: '2028-02-29', sunset: '2029-02-28' })).toThrow('cannot be gone before')
    expect(() => build({ since: '2028-02-29', sunset: '2029-03-01' })).not.toThrow()
    const early = make('old', { since: '2026-01-01', sunset: '2026-12-31' })
    expect(() => surface({ ...base, endpoints: [early] })).toThrow('old: is deprecated since')
  })

  it.each([
    { since: '2026-02-30', sunset: '2028-01-01' },
    { since: '2026-01-01', sunset: '2027-13-01' },
    { since: '2026-1-1', sunset: '2028-01-01' },
    { since: '2026-01-01T00:00:00Z', sunset: '2028-01-01' },
    { since: '2026-01-01', sunset: '2028-01-01', link: 'docs' },
    { since: '2026-01-01', sunset: '2028-01-01', link: 'https://x.example/\r\nSet-Cookie: a=b' },
    { since: '2026-01-01', sunset: '2028-01-01', link: 'javascript:alert(1)' },
  ])('refuses %j', (deprecated) => {
    expect(() => surface({ ...base, endpoints: [], deprecated })).toThrow('Surface s: deprecated has')
  })
})
