import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import type { SseChannel } from '../../packages/core/src/gateway/sse.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { DomainError } from '../../packages/core/src/kernel/errors.ts'
import { type Counters, createMemoryCounters } from '../../packages/core/src/platform/counters/counters.ts'
import { createSharedCounters } from '../../packages/core/src/platform/counters/shared.ts'
import { createTestClock } from '../kit/clock.ts'
import { createLogRecorder, openRedisSpace, redisUrl } from '../kit/redis.ts'
import { createRig, errorOf, listen, team } from './rig.ts'

const events = { tick: z.object({}) }

/** One server with streams on two surfaces, and what its handlers hold. */
async function serve(counters: Counters) {
  const channels: SseChannel<typeof events>[] = []
  const holds: PromiseWithResolvers<void>[] = []
  const live = (id: string) =>
    eventStream({
      id,
      route: 'GET /live',
      summary: 'Watch',
      access: team,
      query: z.object({ next: z.enum(['end', 'refuse', 'wait']).optional() }),
      events,
      errors: ['NOT_FOUND'],
      async open(_ctx, { query }, channel) {
        channels.push(channel)
        if (query.next === 'refuse') throw new DomainError('NOT_FOUND', 'There is nothing to watch')
        if (query.next === 'end') {
          channel.send({ event: 'tick', data: {} })
          channel.close()
        }
        if (query.next !== 'wait') return
        const hold = Promise.withResolvers<void>()
        holds.push(hold)
        await hold.promise
      },
    })
  const slow = endpoint({
    id: 'd.slow',
    route: 'GET /slow',
    summary: 'Take long',
    access: team,
    reply: { 204: z.void() },
  }).handle(async () => {
    const hold = Promise.withResolvers<void>()
    holds.push(hold)
    await hold.promise
  })
  const mobile = surface({
    name: 'mobile',
    prefix: '/mobile/v1',
    access: team,
    tenant: 'claim',
    limits: { perMinute: 300, burst: 0, by: 'user' },
    endpoints: [live('m.live')],
  })
  const rig = createRig([live('d.live'), slow], {
    surface: { concurrency: 2 },
    more: [mobile],
    ports: { counters },
  })
  const server = await listen(rig.gateway.node)
  const open = (path: string, as = 'member') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(`${server.url}${path}`, { headers: { authorization: `Bearer ${as}` } }, resolve)
      request.on('error', reject)
    })
  /** Sends a request and leaves when `ready`, before there is an answer. */
  const leave = async (path: string, ready: () => boolean) => {
    const request = get(`${server.url}${path}`, { headers: { authorization: 'Bearer member' } })
    request.on('error', () => undefined)
    await expect.poll(ready, { interval: 5 }).toBe(true)
    request.destroy()
  }
  return { ...rig, server, open, leave, channels, holds }
}

type Served = Awaited<ReturnType<typeof serve>>

type Where = 'in process' | 'in Redis'

/** Two servers, with counters in process or in Redis. */
async function openPair(where: Where) {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock()
  const both: Counters[] = []
  if (where === 'in Redis') {
    const space = stack.use(await openRedisSpace())
    for (let i = 0; i < 2; i += 1)
      both.push(createSharedCounters({ redis: await space.another(), clock, log: createLogRecorder().log }))
  } else {
    const counters = createMemoryCounters(clock)
    both.push(counters, counters)
  }
  const pair: Served[] = []
  for (const counters of both) {
    const served = await serve(counters)
    stack.use(served.server)
    pair.push(served)
  }
  const owned = stack.move()
  const [a, b] = pair as [Served, Served]
  return { a, b, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const paths = ['/dashboard/v1/live', '/mobile/v1/live']
const expectFive = async ({ a, b }: { a: Served; b: Served }) => {
  const opened: IncomingMessage[] = []
  for (let i = 0; i < 5; i += 1) opened.push(await (i % 2 === 0 ? a : b).open(paths[i % 2] as string))
  expect(opened.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
  return opened
}
const expectOne = ({ b }: { b: Served }) =>
  expect.poll(async () => (await b.open('/mobile/v1/live')).statusCode, { interval: 10 }).toBe(200)

function streamsOf(where: Where): void {
  it('are limited to five over all surfaces of all servers', async () => {
    await using pair = await openPair(where)
    await expectFive(pair)
    for (const served of [pair.a, pair.b]) {
      for (const path of paths) {
        const sixth = await served.call('GET', path, { as: 'member' })
        expect(sixth.headers.get('retry-after')).toBe('1')
        expect(await errorOf(sixth)).toEqual({ status: 429, code: 'THROTTLED' })
      }
    }
    expect((await pair.b.open('/mobile/v1/live', 'admin')).statusCode).toBe(200)
    // They take none of the places for requests.
    expect((await pair.a.call('GET', '/dashboard/v1/nothing', { as: 'member' })).status).toBe(404)
  })

  it('are released when the client disconnects', async () => {
    await using pair = await openPair(where)
    const [first] = await expectFive(pair)
    first?.destroy()
    await expectOne(pair)
    expect((await pair.a.call('GET', '/dashboard/v1/live', { as: 'member' })).status).toBe(429)
  })

  it('are released when the server ends them', async () => {
    await using pair = await openPair(where)
    await expectFive(pair)
    pair.a.channels[0]?.close()
    await expectOne(pair)
    pair.b.channels[0]?.close()
    await expect
      .poll(async () => (await pair.a.call('GET', '/dashboard/v1/live?next=end', { as: 'member' })).status)
      .toBe(200)
    await expectOne(pair)
  })

  it('are released when they are rejected before they begin', async () => {
    await using pair = await openPair(where)
    for (let i = 0; i < 12; i += 1) {
      const refused = await pair.a.call('GET', '/dashboard/v1/live?next=refuse', { as: 'member' })
      expect(refused.status).toBe(404)
      const invalid = await pair.b.call('GET', '/mobile/v1/live?next=dance', { as: 'member' })
      expect(invalid.status).toBe(400)
    }
    await expectFive(pair)
  })

  it('are released when a server shuts down', async () => {
    await using pair = await openPair(where)
    const opened = await expectFive(pair)
    await pair.a.gateway.drain()
    const others = [await pair.b.open(paths[0] as string), await pair.b.open(paths[1] as string)]
    expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(opened).toHaveLength(5)
  })

  it('are released when the client disconnects while the stream is being opened', async () => {
    await using pair = await openPair(where)
    const { a } = pair
    for (let i = 1; i <= 5; i += 1) await a.leave('/dashboard/v1/live?next=wait', () => a.holds.length === i)
    await expectFive(pair)
  })
}

function requestsOf(where: Where): void {
  it('have the limit of the surface, over all servers', async () => {
    await using pair = await openPair(where)
    const { a, b } = pair
    const first = a.call('GET', '/dashboard/v1/slow', { as: 'member' })
    await expect.poll(() => a.holds.length).toBe(1)
    const second = b.call('GET', '/dashboard/v1/slow', { as: 'member' })
    await expect.poll(() => b.holds.length).toBe(1)
    const third = await b.call('GET', '/dashboard/v1/slow', { as: 'member' })
    expect(third.headers.get('retry-after')).toBe('1')
    expect(await errorOf(third)).toEqual({ status: 429, code: 'THROTTLED' })
    a.holds[0]?.reject(new Error('boom'))
    expect((await first).status).toBe(500)
    const fourth = b.call('GET', '/dashboard/v1/slow', { as: 'member' })
    await expect.poll(() => b.holds.length).toBe(2)
    for (const hold of b.holds) hold.resolve()
    expect([(await second).status, (await fourth).status]).toEqual([204, 204])
  })

  it('release their slot when the client disconnects, though the handler continues', async () => {
    await using pair = await openPair(where)
    const { a, b } = pair
    for (let i = 1; i <= 2; i += 1) await a.leave('/dashboard/v1/slow', () => a.holds.length === i)
    const aborter = new AbortController()
    const request = new Request('http://copydesk.test/dashboard/v1/slow', {
      headers: { authorization: 'Bearer member' },
      signal: aborter.signal,
    })
    await expect
      .poll(async () => (await b.call('GET', '/dashboard/v1/nothing', { as: 'member' })).status)
      .toBe(404)
    const gone = b.gateway.fetch(request)
    await expect.poll(() => b.holds.length).toBe(1)
    aborter.abort()
    const two = [0, 1].map(() => b.call('GET', '/dashboard/v1/slow', { as: 'member' }))
    await expect.poll(() => b.holds.length).toBe(3)
    // When the work that no one waits for ends, nothing is given back a second time.
    for (const hold of [...a.holds, b.holds[0]]) hold?.resolve()
    await gone
    await expect.poll(() => a.lines.filter(({ message }) => message === 'response')).toHaveLength(2)
    expect((await a.call('GET', '/dashboard/v1/slow', { as: 'member' })).status).toBe(429)
    for (const hold of b.holds) hold.resolve()
    expect((await Promise.all(two)).map(({ status }) => status)).toEqual([204, 204])
  })
}

for (const where of ['in process', 'in Redis'] as const) {
  describe.skipIf(where === 'in Redis' && !redisUrl)(`places counted ${where}`, () => {
    describe('the streams of one user', () => {
      streamsOf(where)
    })
    describe('concurrent requests of one user', () => {
      requestsOf(where)
    })
  })
}

describe('a client that disconnects before the slot is allocated', () => {
  it('releases the slot at once, and its handler is not called', async () => {
    const inner = createMemoryCounters(createTestClock())
    const entering: PromiseWithResolvers<void>[] = []
    const late = await serve({
      hit: inner.hit,
      leave: inner.leave,
      async enter(key, max) {
        const hold = Promise.withResolvers<void>()
        entering.push(hold)
        await hold.promise
        return inner.enter(key, max)
      },
    })
    for (let i = 1; i <= 5; i += 1) await late.leave('/dashboard/v1/live', () => entering.length === i)
    // The server detects it later.
    await expect
      .poll(() => new Promise((resolve) => late.server.server.getConnections((_, open) => resolve(open))))
      .toBe(0)
    for (const hold of entering) hold.resolve()
    await expect.poll(() => inner.size).toBe(1)
    expect(late.channels).toEqual([])
    await late.server[Symbol.asyncDispose]()
  })
})
