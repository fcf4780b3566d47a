import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { createRig, listen, publicAccess, team } from './rig.ts'

const show = endpoint({
  id: 'd.show',
  route: 'GET /things/:name',
  summary: 'Show',
  access: team,
  reply: { 200: z.object({}) },
}).handle(async () => ({}))
const remove = endpoint({
  id: 'd.remove',
  route: 'DELETE /things/:name',
  summary: 'Remove',
  access: team,
  reply: { 204: z.void() },
}).handle(async () => {})
const live = eventStream({
  id: 'd.live',
  route: 'GET /live',
  summary: 'Watch',
  access: team,
  events: {},
  open() {},
})
const file = raw({
  id: 'd.file',
  route: 'GET /file',
  summary: 'File',
  access: publicAccess,
  reply: { 200: 'text/html' },
}).handle(() => ({ body: '<script>alert(1)</script>' }))
const page = raw({
  id: 'd.page',
  route: 'GET /page',
  summary: 'Page',
  access: publicAccess,
  reply: { 200: 'text/html' },
}).handle(() => ({ body: '', headers: { 'Content-Security-Policy': "default-src 'self'" } }))

const app = 'https://app.example.com'
const origins = [app, 'http://localhost:5173', 'capacitor://localhost']
const rig = (more: object = {}) =>
  createRig([show, remove, live, file, page], { options: { cors: { origins }, ...more } })
const allowed = (response: Response) => response.headers.get('access-control-allow-origin')

describe('CORS', () => {
  it.each(origins)('allows pages of %s to read responses, errors too', async (origin) => {
    const { call } = rig()
    for (const [path, as, status] of [
      ['/things/a', 'member', 200],
      ['/things/a', 'forged', 401],
      ['/live', 'member', 200],
      ['/file', undefined, 200],
      ['/nothing', 'member', 404],
    ] as const) {
      const response = await call('GET', `/dashboard/v1${path}`, { ...(as && { as }), headers: { origin } })
      expect([response.status, allowed(response)]).toEqual([status, origin])
      expect(response.headers.get('vary')).toBe('Origin')
      expect(response.headers.get('access-control-allow-credentials')).toBe(null)
      const exposed = (response.headers.get('access-control-expose-headers') ?? '').split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          'X-Request-Id',
          'X-RateLimit-Remaining',
          'Retry-After',
          'ETag',
          'Sunset',
          'Link',
        ]),
      )
      await response.body?.cancel()
    }
  })

  it.each([
    'https://app.example.com.evil.example',
    'https://evil.example/app.example.com',
    'https://evilapp.example.com',
    'https://sub.app.example.com',
    'https://app.example.co',
    'http://app.example.com',
    'https://app.example.com:444',
    'https://APP.example.com',
    'https://app.example.com/',
    'https://app.example.com, https://evil.example',
    'http://localhost',
    'null',
    '*',
    '',
  ])('rejects similar origins: %s', async (origin) => {
    const { call } = rig()
    const got = await call('GET', '/dashboard/v1/things/a', { as: 'member', headers: { origin } })
    expect([got.status, allowed(got), got.headers.get('vary')]).toEqual([200, null, 'Origin'])
    const asked = await call('OPTIONS', '/dashboard/v1/things/a', {
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect([asked.status, allowed(asked)]).toEqual([401, null])
    expect(asked.headers.get('access-control-allow-methods')).toBe(null)
  })

  it('responds to a preflight with the methods of the path, without a credential, over a real connection too', async () => {
    const { call, gateway } = rig()
    const headers = {
      origin: app,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization, idempotency-key',
    }
    await using server = await listen(gateway.node)
    const path = '/dashboard/v1/things/a'
    const answers = [
      await call('OPTIONS', path, { headers }),
      await fetch(server.url + path, { method: 'OPTIONS', headers }),
    ]
    for (const response of answers) {
      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(allowed(response)).toBe(app)
      expect(response.headers.get('access-control-allow-methods')).toBe('DELETE, GET, HEAD')
      expect(response.headers.get('access-control-max-age')).toBe('600')
      expect(response.headers.get('vary')).toBe('Origin')
      const names = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ')
      expect(names).toEqual(
        expect.arrayContaining([
          'authorization',
          'content-type',
          'idempotency-key',
          'if-none-match',
          'last-event-id',
        ]),
      )
    }
    const nowhere = await call('OPTIONS', '/dashboard/v1/nothing', { headers })
    expect(nowhere.status).toBe(401)
  })

  it('sends Vary: Origin also without an origin', async () => {
    const { call } = rig()
    expect((await call('GET', '/dashboard/v1/file')).headers.get('vary')).toBe('Origin')
    expect((await createRig([file]).call('GET', '/dashboard/v1/file')).headers.get('vary')).toBe(null)
  })

  it.each([
    '*',
    'null',
    'app.example.com',
    `${app}/`,
    'https://APP.example.com',
    'https://*.example.com',
    'https://a.example:443',
    'https://user@a.example',
  ])('rejects the setting %s', (origin) => {
    expect(() => createRig([file], { options: { cors: { origins: [origin] } } })).toThrow('is no origin')
  })
})

describe('security headers', () => {
  const read = (response: Response) =>
    Object.fromEntries(
      [
        'x-content-type-options',
        'x-frame-options',
        'referrer-policy',
        'content-security-policy',
        'cache-control',
      ].map((name) => [name, response.headers.get(name)]),
    )
  const closed = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  }

  it('are in every response, and a file executes nothing', async () => {
    const { call } = rig()
    for (const [path, as] of [
      ['/things/a', 'member'],
      ['/things/a', 'forged'],
      ['/nothing', 'member'],
      ['/file', 'member'],
    ] as const)
      expect(read(await call('GET', `/dashboard/v1${path}`, { as }))).toEqual(closed)
    const own = await call('GET', '/dashboard/v1/page')
    expect(own.headers.get('content-security-policy')).toBe("default-src 'self'")
    expect((await call('GET', '/elsewhere')).headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('require TLS only where it is used', async () => {
    const ask = async (more: object) =>
      (await rig(more).call('GET', '/dashboard/v1/file')).headers.get('strict-transport-security')
    expect(await ask({})).toBe(null)
    expect(await ask({ hsts: true })).toBe('max-age=31536000')
  })

  it('do not reveal the server software', async () => {
    await using server = await listen(rig().gateway.node)
    const { headers } = await fetch(`${server.url}/dashboard/v1/file`)
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null])
  })
})
