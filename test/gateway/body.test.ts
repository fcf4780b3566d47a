import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { isoDate } from '../../packages/core/src/platform/wire.ts'
import { createRig, errorOf, listen, team } from './rig.ts'

const order = endpoint({
  id: 'd.order',
  route: 'POST /order',
  summary: 'Order',
  access: team,
  body: z.object({
    name: z.string().max(200_000),
    due: isoDate.optional(),
    deliverables: z.array(z.object({ quantity: z.int().min(1) })).optional(),
    target: z
      .union([z.object({ user: z.string() }), z.object({ role: z.object({ name: z.string() }) })])
      .optional(),
    extra: z.unknown().optional(),
  }),
  reply: { 200: z.object({ name: z.string(), due: isoDate.optional() }) },
}).handle(async (_ctx, { body }) => ({ name: body.name, due: body.due }))

const bare = endpoint({
  id: 'd.bare',
  route: 'POST /bare',
  summary: 'Nothing to send',
  access: team,
  reply: { 204: z.void() },
}).handle(async () => {})

const optional = endpoint({
  id: 'd.optional',
  route: 'POST /optional',
  summary: 'Something to send, perhaps',
  access: team,
  body: z.object({ reason: z.string().optional() }),
  reply: { 200: z.object({ reason: z.string().optional() }) },
}).handle(async (_ctx, { body }) => body)

const all = [order, bare, optional]
const json = { 'content-type': 'application/json' }

describe('JSON bodies', () => {
  it.each([
    ['no JSON', '{', undefined],
    ['a trailing comma', '{"name":"x",}', undefined],
    ['invalid UTF-8', Buffer.from('7b226e616d65223a22ff227d', 'hex'), undefined],
    ['a missing field', '{}', 'name'],
    ['an empty body', '', 'name'],
    ['a list', '[]', ''],
    ['null', 'null', ''],
    ['a wrong type', '{"name":1}', 'name'],
    ['a wrong type inside', '{"name":"x","deliverables":[{"quantity":"2"}]}', 'deliverables.0.quantity'],
    ['an unknown field', '{"name":"x","role":"admin"}', 'role'],
    ['an unknown field inside', '{"name":"x","deliverables":[{"quantity":2,"x":1}]}', 'deliverables.0.x'],
    ['a union that nearly fits', '{"name":"x","target":{"role":{"name":1}}}', 'target.role.name'],
    ['a date that is none', '{"name":"x","due":"tomorrow"}', 'due'],
    ['a field given twice', '{"name":"x","name":"y"}', 'name'],
    ['a field given twice, once escaped', '{"extra":{"a":1,"\\u0061":2},"name":"x"}', 'extra.a'],
    ['__proto__', '{"name":"x","extra":{"__proto__":{"admin":true}}}', 'extra.__proto__'],
    ['__proto__ in disguise', '{"name":"x","extra":[{"\\u005f_proto__":1}]}', 'extra.0.__proto__'],
    ['a NUL', '{"name":"x\\u0000y"}', 'name'],
    ['half a surrogate', '{"name":"x\\ud83d"}', 'name'],
    ['an infinite number', '{"name":"x","deliverables":[{"quantity":1e999}]}', 'deliverables.0.quantity'],
  ])('refuses %s', async (_what, body, field) => {
    const { call } = createRig(all)
    const response = await call('POST', '/dashboard/v1/order', { as: 'member', body, headers: json })
    expect(await errorOf(response)).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      ...(field !== undefined && { field }),
    })
  })

  it('accepts text that only looks dangerous', async () => {
    const { call } = createRig(all)
    const name = 'a "quoted" \\u0000 , {"name":1} \u{1f600} \\'
    const response = await call('POST', '/dashboard/v1/order', {
      as: 'member',
      json: { name, due: '2026-01-02T03:04:05+02:00', extra: [{ a: 1 }, { a: 2 }] },
    })
    expect(await response.json()).toEqual({ name, due: '2026-01-02T01:04:05.000Z' })
  })

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
    [undefined, {}],
  ])('responds to content type %s with 415', async (type, extra) => {
    const { call } = createRig(all)
    const response = await call('POST', '/dashboard/v1/order', {
      as: 'member',
      body: Buffer.from('{"name":"x"}'),
      headers: { ...(type && { 'content-type': type }), ...extra },
    })
    expect(await errorOf(response)).toEqual({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('accepts other names of JSON', async () => {
    const { call } = createRig(all)
    for (const type of [
      'application/json; charset=UTF-8',
      'application/merge-patch+json',
      'Application/JSON',
    ]) {
      const response = await call('POST', '/dashboard/v1/order', {
        as: 'member',
        body: '{"name":"x"}',
        headers: { 'content-type': type },
      })
      expect(response.status, type).toBe(200)
    }
  })

  it('requires no body where none is declared, and accepts an empty one when all fields are optional', async () => {
    const { call, gateway } = createRig(all)
    expect((await call('POST', '/dashboard/v1/bare', { as: 'member' })).status).toBe(204)
    expect((await call('POST', '/dashboard/v1/bare', { as: 'member', json: {} })).status).toBe(204)
    expect(await (await call('POST', '/dashboard/v1/optional', { as: 'member' })).json()).toEqual({})
    await using server = await listen(gateway.node)
    const headers = { authorization: 'Bearer member' }
    for (const [path, status] of [
      ['bare', 204],
      ['optional', 200],
    ] as const) {
      const response = await fetch(`${server.url}/dashboard/v1/${path}`, { method: 'POST', headers })
      expect(response.status).toBe(status)
    }
  })

  it('responds to a megabyte of brackets quickly', async () => {
    const { call } = createRig(all)
    const before = performance.now()
    for (const body of ['['.repeat(1_000_000), `{"extra":${'['.repeat(500_000)}${']'.repeat(500_000)}}`]) {
      const response = await call('POST', '/dashboard/v1/order', { as: 'member', body, headers: json })
      expect(await errorOf(response)).toMatchObject({ status: 400 })
    }
    expect(performance.now() - before).toBeLessThan(1_000)
  })
})

describe('body size', () => {
  it('responds to a declared length over the limit with 413', async () => {
    const { gateway } = createRig(all)
    await using server = await listen(gateway.node)
    const response = await fetch(`${server.url}/dashboard/v1/order`, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer member' },
      body: JSON.stringify({ name: 'x'.repeat(3 << 20) }),
    })
    expect(await errorOf(response)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    expect(response.headers.get('connection')).toBe('close')
    expect(response.headers.has('x-request-id')).toBe(true)
  })

  it('limits an endless body and closes the connection, also where no body is read', async () => {
    const { gateway, clock } = createRig(all)
    await using server = await listen(gateway.node)
    for (const [path, as, status] of [
      ['order', 'member', 413],
      ['bare', 'member', 413],
      ['order', 'forged', 401],
    ] as const) {
      const answer = await sendForever(server.port, path, as, () => clock.advance(1_000))
      expect(answer, `${path} ${as}`).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer.toLowerCase()).toContain('connection: close')
    }
  })

  it('limits an endless web stream', async () => {
    const { call } = createRig(all)
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
    })
    const response = await call('POST', '/dashboard/v1/order', { as: 'member', body: endless, headers: json })
    expect(await errorOf(response)).toMatchObject({ status: 413 })
  })

  it('accepts a body that an outer program has parsed already', async () => {
    const { gateway } = createRig(all)
    await using server = await listen(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      Object.assign(req, { body: JSON.parse(Buffer.concat(chunks).toString()) })
      await gateway.node(req, res)
    })
    const response = await fetch(`${server.url}/dashboard/v1/order`, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer member' },
      body: '{"name":"parsed"}',
    })
    expect(await response.json()).toEqual({ name: 'parsed' })
  })
})

/** Writes chunks until the server closes the connection; what it answered by then. */
function sendForever(port: number, path: string, as: string, whenAnswered: () => void): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.write(
      `POST /dashboard/v1/${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${as}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    socket.on('drain', write).on('error', () => {})
    socket.on('data', (data) => {
      if (text === '') setImmediate(whenAnswered)
      text += data.toString()
    })
    socket.on('close', () => resolve(text))
    write()
  })
}
