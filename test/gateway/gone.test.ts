import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import type { Principal } from '../../packages/core/src/kernel/context.ts'
import { createRig, listen, team, tenantA } from './rig.ts'

const order = endpoint({
  id: 'd.order',
  route: 'POST /order',
  summary: 'Order',
  access: team,
  body: z.object({ name: z.string() }),
  reply: { 204: z.void() },
}).handle(async () => {})

const bare = endpoint({
  id: 'd.bare',
  route: 'POST /bare',
  summary: 'Nothing to send',
  access: team,
  reply: { 204: z.void() },
}).handle(async () => {})

const put = upload({
  id: 'd.put',
  route: 'POST /files',
  summary: 'Put',
  access: team,
  files: { file: { maxBytes: 1_000 } },
  reply: { 204: z.void() },
}).handle(async () => {})

const member: Principal = {
  id: 'U-member',
  type: 'human',
  role: 'member',
  tenantId: tenantA,
  appAccess: ['dashboard'],
}

const head = (path: string, ...headers: string[]) =>
  [`POST /dashboard/v1/${path} HTTP/1.1`, 'host: x', 'authorization: Bearer x', ...headers, '', ''].join(
    '\r\n',
  )
const json = 'content-type: application/json'
const form = 'content-type: multipart/form-data; boundary=b'

describe('a client that disconnects during authentication', () => {
  it.each([
    ['with a part of the body', `${head('order', json, 'content-length: 100')}{"name":`],
    ['with all of the body', `${head('order', json, 'content-length: 12')}{"name":"x"}`],
    ['with a chunk', `${head('order', json, 'transfer-encoding: chunked')}4\r\n{"na\r\n`],
    ['with nothing of it', head('order', json, 'content-length: 12')],
    ['with a body that no one wants', `${head('bare', 'content-length: 100')}x`],
    ['with a part of a form', `${head('files', form, 'content-length: 100')}--b\r\n`],
    ['with all of a form', `${head('files', form, 'content-length: 7')}--b--\r\n`],
  ])('%s, is let go of, with the place that was taken', async (_, text) => {
    const asked = Promise.withResolvers<void>()
    const known = Promise.withResolvers<Principal>()
    const { gateway, lines } = createRig([order, bare, put], {
      surface: { concurrency: 1 },
      ports: {
        authenticate: () => {
          asked.resolve()
          return known.promise
        },
      },
    })
    await using server = await listen(gateway.node)
    const accepted = once(server.server, 'connection') as Promise<[Socket]>
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    const [other] = await accepted
    await asked.promise
    const left = new Promise((resolve) => void other.once('close', resolve))
    socket.destroy()
    await left
    known.resolve(member)
    // It comes back when nothing is running any more.
    await gateway.drain()
    expect(lines.filter(({ message }) => message === 'response')).toHaveLength(1)
  })
})

describe('a file that is not sent', () => {
  /** A file that is opened when the test says so. */
  function picture() {
    const asked = Promise.withResolvers<void>()
    const opens = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const show = raw({
      id: 'd.picture',
      route: 'GET /picture',
      summary: 'Show',
      access: team,
      reply: { 200: 'image/png' },
    }).handle(async () => {
      asked.resolve()
      await opens.promise
      const pull = (file: ReadableStreamDefaultController<Uint8Array>) => file.enqueue(new Uint8Array(10))
      return { body: new ReadableStream({ pull, cancel: () => closed.resolve() }) }
    })
    return { ...createRig([show]), asked: asked.promise, open: opens.resolve, closed: closed.promise }
  }

  it('is closed when the client disconnects while it is opened', async () => {
    const { gateway, asked, open, closed } = picture()
    await using server = await listen(gateway.node)
    const accepted = once(server.server, 'connection') as Promise<[Socket]>
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /dashboard/v1/picture HTTP/1.1\r\nhost: x\r\nauthorization: Bearer member\r\n\r\n')
    const [other] = await accepted
    await asked
    const left = once(other, 'close')
    socket.destroy()
    await left
    open()
    await expect(closed).resolves.toBeUndefined()
    await gateway.drain()
  })

  it('is closed when only its headers are asked for', async () => {
    const { gateway, call, open, closed } = picture()
    await using server = await listen(gateway.node)
    open()
    const headers = { authorization: 'Bearer member' }
    const answer = await fetch(`${server.url}/dashboard/v1/picture`, { method: 'HEAD', headers })
    expect(answer.headers.get('content-type')).toBe('image/png')
    await closed
    const again = picture()
    again.open()
    expect((await again.call('HEAD', '/dashboard/v1/picture', { as: 'member' })).status).toBe(200)
    await again.closed
    expect((await call('HEAD', '/dashboard/v1/picture', { as: 'member' })).body).toBeNull()
  })
})
