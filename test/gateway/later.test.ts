import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publicAccess } from '../../packages/core/src/gateway/access.ts'
import type { LaterSurface } from '../../packages/core/src/gateway/doors.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { createRig, listen } from './rig.ts'

const hello = (id: string, route: `GET /${string}`) =>
  endpoint({
    id,
    route,
    summary: 'Say which one it is',
    access: publicAccess,
    reply: { 200: z.object({ id: z.string() }) },
  }).handle(() => ({ id }))

const shop = (prefix = '/shop/v1') =>
  surface({
    name: 'shop',
    prefix,
    access: publicAccess,
    tenant: 'none',
    limits: { perMinute: 300, burst: 60, by: 'ip' },
    endpoints: [hello('shop.list', 'GET /list')],
  })

/** A gateway whose `shop` is loaded later, and how often that has begun. */
function setUp(load: (time: number) => Promise<ReturnType<typeof shop>> = async () => shop()) {
  let times = 0
  const later: LaterSurface = {
    name: 'shop',
    prefix: '/shop/v1',
    load() {
      times += 1
      return load(times)
    },
  }
  const rig = createRig([hello('dashboard.first', 'GET /first')], {
    surface: { access: publicAccess },
    later: [later],
  })
  const ask = async (path: string) => {
    const response = await rig.call('GET', path)
    return [response.status, ((await response.json()) as { id?: string }).id]
  }
  return { ...rig, ask, times: () => times }
}

describe('surfaces that are loaded later', () => {
  it('are loaded once, by the first who need them, and for no other path', async () => {
    const { ask, times } = setUp()
    expect(await ask('/dashboard/v1/first')).toEqual([200, 'dashboard.first'])
    expect(await ask('/shop')).toEqual([404, undefined])
    expect(times()).toBe(0)
    const both = await Promise.all([ask('/shop/v1/list'), ask('/shop/v1/list')])
    expect(both).toEqual([
      [200, 'shop.list'],
      [200, 'shop.list'],
    ])
    expect(await ask('/shop/v1/other')).toEqual([404, undefined])
    expect(await ask('/dashboard/v1/first')).toEqual([200, 'dashboard.first'])
    expect(times()).toBe(1)
  })

  it('are waited for by everything that is made of them', async () => {
    const { gateway, times } = setUp()
    const own = {
      name: 'own',
      path: '/own',
      like: 'shop',
      handle: async () => Response.json('mine'),
    } as const
    const [door, attached] = [gateway.surface('shop'), gateway.attach(own)]
    expect(() => gateway.surface('bank')).toThrow('There is no surface "bank"')
    expect(() => gateway.attach({ ...own, like: 'bank' })).toThrow('There is no surface "bank"')
    expect(times()).toBe(0)
    const request = (path: string, method = 'GET') => new Request(`http://copydesk.test${path}`, { method })
    expect((await door.fetch(request('/shop/v1/list'))).status).toBe(200)
    expect(await (await attached.fetch(request('/own', 'POST'))).json()).toBe('mine')
    expect((await gateway.endpoints()).map(({ id }) => id)).toEqual(['shop.list', 'dashboard.first'])
    expect(times()).toBe(1)
  })

  it('are asked for again when they could not be loaded, or are not those that were expected', async () => {
    const { gateway, ask, times } = setUp(async (time) => {
      if (time === 1) throw new Error('The file is not there')
      return shop(time === 2 ? '/market/v1' : undefined)
    })
    await expect(gateway.endpoints()).rejects.toThrow('The file is not there')
    await expect(ask('/shop/v1/list')).rejects.toThrow(
      'Surface shop under /shop/v1 was loaded as shop under /market/v1',
    )
    expect(await ask('/dashboard/v1/first')).toEqual([200, 'dashboard.first'])
    expect(await ask('/shop/v1/list')).toEqual([200, 'shop.list'])
    expect(times()).toBe(3)
  })

  it('share neither name nor prefix with others', () => {
    const load = async () => shop()
    const withLater = (name: string, prefix: string) => () =>
      createRig([hello('dashboard.first', 'GET /first')], {
        surface: { access: publicAccess },
        later: [{ name, prefix, load }],
      })
    expect(withLater('shop', '/dashboard/v1')).toThrow('The prefix "/dashboard/v1" is used twice')
    expect(withLater('dashboard', '/shop/v1')).toThrow('The surface name "dashboard" is used twice')
  })
})

describe('fixed paths of a surface that is there', () => {
  it('are answered without the router as with it', async () => {
    const { gateway, lines } = setUp()
    await using server = await listen(gateway.node)
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(`${server.url}/dashboard/v1${path}`, { method })
      const { 'x-request-id': id, date: _, ...headers } = Object.fromEntries(response.headers)
      return { id, status: response.status, headers, text: await response.text() }
    }
    const { id, ...direct } = await ask('/first')
    expect(direct).toMatchObject({ status: 200, text: '{"id":"dashboard.first"}' })
    expect(lines).toContainEqual(expect.objectContaining({ message: 'response', requestId: id, status: 200 }))
    const { id: another, ...routed } = await ask('/first?through=router')
    expect(another).not.toBe(id)
    const remaining = 'x-ratelimit-remaining'
    expect(Number(routed.headers[remaining])).toBe(Number(direct.headers[remaining]) - 1)
    expect({ ...routed, headers: { ...routed.headers, [remaining]: direct.headers[remaining] } }).toEqual(
      direct,
    )
    expect(await ask('/first', 'HEAD')).toMatchObject({ status: 200, text: '' })
    expect(await ask('/first', 'DELETE')).toMatchObject({ status: 405 })
  })
})
