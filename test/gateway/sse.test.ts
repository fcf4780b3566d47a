import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { encodeFrame, type SseChannel } from '../../packages/core/src/gateway/sse.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import type { Principal } from '../../packages/core/src/kernel/context.ts'
import { DomainError } from '../../packages/core/src/kernel/errors.ts'
import { isoDate } from '../../packages/core/src/platform/wire.ts'
import { createRig, errorOf, listen, team } from './rig.ts'

const events = { tick: z.object({ n: z.number(), at: isoDate.optional() }) }
type Ticks = SseChannel<typeof events>

function rig(more: { ports?: object; options?: object } = {}) {
  const channels: Ticks[] = []
  const ended: number[] = []
  const live = eventStream({
    id: 'd.live',
    route: 'GET /live',
    summary: 'Watch',
    access: team,
    events,
    open(_ctx, _input, channel) {
      const nth = channels.push(channel)
      channel.onClose(() => void ended.push(nth))
    },
  })
  const chat = eventStream({
    id: 'd.chat',
    route: 'POST /chat',
    summary: 'Chat',
    access: team,
    body: z.object({ message: z.string() }),
    events,
    errors: ['NOT_FOUND'],
    async open(_ctx, { body }, channel) {
      if (body.message === 'refuse') throw new DomainError('NOT_FOUND', 'No such conversation')
      channel.send({ event: 'tick', id: 1, data: { n: body.message.length, at: new Date(0) } })
      await Promise.resolve()
      if (body.message === 'break') throw new Error('model died')
      channel.send({ event: 'tick', data: { n: 2 } })
      channel.close()
    },
  })
  return { ...createRig([live, chat], more), channels, ended }
}

/** Opens a stream over a real connection and collects what comes. */
function open(url: string, as: string, headers: Record<string, string> = {}) {
  const state = { text: '', closed: false }
  return new Promise<typeof state & { response: IncomingMessage }>((resolve, reject) => {
    const request = get(url, { headers: { authorization: `Bearer ${as}`, ...headers } }, (response) => {
      const open = Object.assign(state, { response })
      response.setEncoding('utf8').on('data', (text) => void (open.text += text))
      response.on('close', () => void (open.closed = true)).on('error', () => {})
      resolve(open)
    })
    request.on('error', reject)
  })
}

describe('stream', () => {
  it('formats events with ids, and ends when the handler closes', async () => {
    const { call, gateway, audits } = rig()
    const expected =
      'id: 1\nevent: tick\ndata: {"n":5,"at":"1970-01-01T00:00:00.000Z"}\n\nevent: tick\ndata: {"n":2}\n\n'
    const response = await call('POST', '/dashboard/v1/chat', { as: 'member', json: { message: 'hello' } })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('299')
    expect(await response.text()).toBe(expected)
    expect(audits).toHaveLength(1)
    await using server = await listen(gateway.node)
    const overWire = await fetch(`${server.url}/dashboard/v1/chat`, {
      method: 'POST',
      headers: { authorization: 'Bearer member', 'content-type': 'application/json' },
      body: '{"message":"hello"}',
    })
    expect(overWire.headers.get('transfer-encoding')).toBe(null)
    expect(await overWire.text()).toBe(expected)
  })

  it('returns an error before the first message, and disconnects on an error after it', async () => {
    const { call, lines } = rig()
    const refused = await call('POST', '/dashboard/v1/chat', { as: 'member', json: { message: 'refuse' } })
    expect(await errorOf(refused)).toEqual({ status: 404, code: 'NOT_FOUND' })
    const invalid = await call('POST', '/dashboard/v1/chat', { as: 'member', json: {} })
    expect(await errorOf(invalid)).toMatchObject({ status: 400, field: 'message' })
    const broken = await call('POST', '/dashboard/v1/chat', { as: 'member', json: { message: 'break' } })
    expect(await broken.text()).toContain('"n":5')
    expect(lines.some((line) => line.message === 'A stream broke off')).toBe(true)
  })

  it('passes the last event id from the header or the query', async () => {
    const { gateway, channels } = rig()
    await using server = await listen(gateway.node)
    await open(`${server.url}/dashboard/v1/live`, 'member', { 'last-event-id': '41' })
    await open(`${server.url}/dashboard/v1/live?lastEventId=42`, 'member')
    await open(`${server.url}/dashboard/v1/live`, 'member')
    expect(channels.map((channel) => channel.lastEventId)).toEqual(['41', '42', undefined])
  })

  it('sends a heartbeat every 15 s while it is open, one buffer for all streams', async () => {
    const { gateway, channels, clock } = rig()
    await using server = await listen(gateway.node)
    const one = await open(`${server.url}/dashboard/v1/live`, 'member')
    const two = await open(`${server.url}/dashboard/v1/live`, 'admin')
    clock.advance(15_000)
    clock.advance(15_000)
    const frame = encodeFrame(events, { event: 'tick', id: 7, data: { n: 7 } })
    for (const channel of channels) channel.sendRaw(frame)
    const expected = ': keep-alive\n\n: keep-alive\n\nid: 7\nevent: tick\ndata: {"n":7}\n\n'
    await expect.poll(() => [one.text, two.text]).toEqual([expected, expected])
  })

  it('allows five per user over all surfaces, and releases the slot on disconnect', async () => {
    const { gateway, ended, call } = rig()
    await using server = await listen(gateway.node)
    const url = `${server.url}/dashboard/v1/live`
    const first = await open(url, 'member')
    for (let i = 0; i < 4; i += 1) await open(url, 'member')
    expect((await call('GET', '/dashboard/v1/nothing', { as: 'member' })).status).toBe(404)
    const sixth = await open(url, 'member')
    expect(sixth.response.statusCode).toBe(429)
    expect(sixth.response.headers['retry-after']).toBe('1')
    await expect.poll(() => sixth.text).toContain('THROTTLED')
    expect((await open(url, 'admin')).response.statusCode).toBe(200)
    first.response.destroy()
    await expect.poll(() => ended).toEqual([1])
    await expect.poll(async () => (await open(url, 'member')).response.statusCode).toBe(200)
  })

  it('notifies the handler when a web client disconnects', async () => {
    const { call, channels, ended, lines } = rig()
    const response = await call('GET', '/dashboard/v1/live', { as: 'member' })
    channels[0]?.send({ event: 'tick', data: { n: 1 } })
    await response.body?.cancel()
    expect(ended).toEqual([1])
    expect(channels[0]?.closed).toBe(true)
    expect(channels[0]?.send({ event: 'tick', data: { n: 2 } })).toBe(false)
    await expect.poll(() => lines.at(-1)).toMatchObject({ message: 'response', status: 200 })
  })

  it('disconnects a client that is too slow, on node and on the web', async () => {
    const { gateway, channels, ended, call } = rig({ options: { maxStreamBuffer: 1 << 20 } })
    await using server = await listen(gateway.node)
    const slow = await open(`${server.url}/dashboard/v1/live`, 'member')
    slow.response.pause()
    await call('GET', '/dashboard/v1/live', { as: 'member' })
    const big = new Uint8Array(256 * 1024).fill(32)
    for (const channel of channels) {
      let sent = 0
      while (channel.sendRaw(big) && sent < 1_000) sent += 1
      expect(sent).toBeLessThan(100)
      expect(channel.closed).toBe(true)
    }
    expect(ended).toEqual([1, 2])
  })

  it('ends when the credential is no longer valid', async () => {
    let valid = true
    const { gateway, clock } = rig({
      ports: { stillValid: (who: Principal) => valid || who.role === 'admin' },
    })
    await using server = await listen(gateway.node)
    const member = await open(`${server.url}/dashboard/v1/live`, 'member')
    const admin = await open(`${server.url}/dashboard/v1/live`, 'admin')
    valid = false
    clock.advance(15_000)
    await expect.poll(() => member.closed).toBe(true)
    expect(admin.closed).toBe(false)
  })

  it('ends every stream when the gateway drains', async () => {
    const { gateway, ended } = rig()
    await using server = await listen(gateway.node)
    const one = await open(`${server.url}/dashboard/v1/live`, 'member')
    await gateway.drain()
    expect(ended).toEqual([1])
    await expect.poll(() => one.closed).toBe(true)
  })

  it('also ends a stream that was being opened when the gateway began to drain', async () => {
    const arrived = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<void>()
    const waiting = eventStream({
      id: 'd.slow',
      route: 'GET /slow',
      summary: 'Watch, after a look into a slow database',
      access: team,
      events,
      async open() {
        arrived.resolve()
        await slow.promise
      },
    })
    const { gateway } = createRig([waiting])
    await using server = await listen(gateway.node)
    const opening = open(`${server.url}/dashboard/v1/slow`, 'member')
    await arrived.promise
    const drained = gateway.drain()
    slow.resolve()
    await drained
    const one = await opening
    await expect.poll(() => one.closed).toBe(true)
  })

  it('rejects HEAD on a stream', async () => {
    const { call } = rig()
    const response = await call('HEAD', '/dashboard/v1/live', { as: 'member' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
