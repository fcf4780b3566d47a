import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { delegate } from '../../packages/core/src/gateway/delegate.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { toOpenApi } from '../../packages/core/src/gateway/openapi.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { createRig, listen, publicAccess, team } from './rig.ts'

let n = 1
const read = endpoint({
  id: 'd.read',
  route: 'GET /read',
  summary: 'Read',
  access: team,
  reply: { 200: z.object({ n: z.number() }) },
}).handle(async () => ({ n }))
const write = endpoint({
  id: 'd.write',
  route: 'POST /write',
  summary: 'Write',
  access: team,
  reply: { 200: z.object({ n: z.number() }) },
}).handle(async () => ({ n }))
const file = raw({
  id: 'd.file',
  route: 'GET /file',
  summary: 'File',
  access: publicAccess,
  reply: { 200: 'text/plain' },
}).handle(() => ({ body: 'x' }))

const rig = () => createRig([read, write, file], { surface: { conditional: true } })

/** A caller that asks with what it knows. */
async function open() {
  const { call } = rig()
  const first = await call('GET', '/dashboard/v1/read', { as: 'member' })
  const tag = first.headers.get('etag') ?? ''
  const ask = async (known: string, method = 'GET') =>
    (await call(method, '/dashboard/v1/read', { as: 'member', headers: { 'if-none-match': known } })).status
  return { tag, opaque: tag.slice(2), ask, call, first }
}

describe('a conditional GET', () => {
  it('has a weak ETag of its content and must be revalidated', async () => {
    const { tag, first, call } = await open()
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const same = await call('GET', '/dashboard/v1/read', { as: 'admin' })
    expect(same.headers.get('etag')).toBe(tag)
    n += 1
    const other = await call('GET', '/dashboard/v1/read', { as: 'member', headers: { 'if-none-match': tag } })
    expect([other.status, await other.json()]).toEqual([200, { n }])
    expect(other.headers.get('etag')).not.toBe(tag)
  })

  it('compares weakly, with one ETag, a list, or any', async () => {
    const { tag, opaque, ask } = await open()
    for (const known of [
      tag,
      opaque,
      '*',
      ' * ',
      `"a", ${tag}`,
      `W/"a" , ${opaque},"b"`,
      `,${tag},`,
      `"with, comma", ${tag}`,
    ])
      expect([known, await ask(known)]).toEqual([known, 304])
    for (const unknown of [
      '"a"',
      opaque.slice(1, -1),
      `w/${opaque}`,
      `W/W/${opaque}`,
      `"${opaque.slice(1, -2)}"`,
      `"*"`,
      '',
      `"a", *`,
      `${tag}x`,
    ])
      expect([unknown, await ask(unknown)]).toEqual([unknown, 200])
  })

  it('returns with 304 the headers of 200, without the body', async () => {
    const { tag, call } = await open()
    const headers = { 'if-none-match': tag, origin: 'https://app.example.com' }
    const known = await call('GET', '/dashboard/v1/read', { as: 'member', headers })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect(known.headers.get('etag')).toBe(tag)
    expect(known.headers.get('cache-control')).toBe('private, no-cache')
    expect(known.headers.get('x-ratelimit-remaining')).toBe('298')
    expect(known.headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
    expect(known.headers.get('content-length')).toBe(null)
    expect(known.headers.get('content-type')).toBe(null)
  })

  it('responds to HEAD alike, over a real connection too', async () => {
    const { tag, ask } = await open()
    expect([await ask(tag, 'HEAD'), await ask('"a"', 'HEAD')]).toEqual([304, 200])
    const { gateway } = rig()
    await using server = await listen(gateway.node)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(`${server.url}/dashboard/v1/read`, {
        method,
        headers: { authorization: 'Bearer member', 'if-none-match': tag },
      })
      expect([response.status, await response.text()]).toEqual([304, ''])
    }
  })

  it('checks the credential first', async () => {
    const { tag, call } = await open()
    const headers = { 'if-none-match': tag }
    expect((await call('GET', '/dashboard/v1/read', { as: 'forged', headers })).status).toBe(401)
    expect((await call('GET', '/dashboard/v1/read', { as: 'outsider', headers })).status).toBe(403)
  })

  it('applies to JSON reads only: not to writes, files, and surfaces without the option', async () => {
    const { call } = rig()
    const any = { 'if-none-match': '*' }
    const written = await call('POST', '/dashboard/v1/write', { as: 'member', headers: any })
    expect([written.status, written.headers.get('etag')]).toEqual([200, null])
    const sent = await call('GET', '/dashboard/v1/file', { headers: any })
    expect([sent.status, sent.headers.get('etag')]).toEqual([200, null])
    const plain = createRig([read])
    const answer = await plain.call('GET', '/dashboard/v1/read', { as: 'member', headers: any })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(() =>
      endpoint({
        id: 'd.odd',
        route: 'PUT /odd',
        summary: 'Odd',
        access: team,
        conditional: true,
        reply: { 200: z.object({}) },
      }).handle(async () => ({})),
    ).toThrow('d.odd: only a GET can be conditional')
  })

  it('applies to the surface that serves it, and is in the OpenAPI document', async () => {
    const there = delegate(read, { id: 'm.read', route: 'GET /read', access: team })
    const spec = {
      name: 'mobile',
      prefix: '/mobile/v1',
      access: team,
      tenant: 'claim',
      limits: { perMinute: 200, burst: 40, by: 'user' },
      conditional: true,
    } as const
    const mobile = surface({ ...spec, endpoints: [there] })
    const { call } = createRig([read], { more: [mobile] })
    const any = { as: 'member', headers: { 'if-none-match': '*' } }
    expect((await call('GET', '/mobile/v1/read', any)).status).toBe(304)
    expect((await call('GET', '/dashboard/v1/read', any)).status).toBe(200)
    const { paths } = toOpenApi([mobile], { title: 't', version: '1' }) as {
      paths: Record<string, { get: { responses: object; parameters: Array<{ name: string; in: string }> } }>
    }
    const operation = paths['/mobile/v1/read']?.get
    expect(operation?.responses).toHaveProperty('304')
    expect(operation?.parameters).toMatchObject([{ name: 'If-None-Match', in: 'header' }])
  })
})
