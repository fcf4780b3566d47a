import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createMemoryCounters } from '../../packages/core/src/platform/counters/counters.ts'
import { createManualClock, createRig, errorOf, publicAccess, team } from './rig.ts'

const ping = endpoint({
  id: 'd.ping',
  route: 'GET /ping',
  summary: 'Ping',
  access: team,
  reply: { 204: z.void() },
}).handle(async () => {})

const open = endpoint({
  id: 'd.open',
  route: 'GET /open',
  summary: 'Open',
  access: publicAccess,
  reply: { 204: z.void() },
}).handle(async () => {})

const forgot = endpoint({
  id: 'd.forgot',
  route: 'POST /forgot',
  summary: 'Forgot',
  access: publicAccess,
  body: z.object({ email: z.string() }),
  reply: { 204: z.void() },
  limit: { requests: 2, perSeconds: 900, by: 'ip' },
}).handle(async () => {})

const login = endpoint({
  id: 'd.login',
  route: 'POST /login',
  summary: 'Login',
  access: publicAccess,
  body: z.object({ email: z.string() }),
  reply: { 204: z.void() },
  limit: { requests: 2, perSeconds: 900, by: 'ip', field: 'email' },
}).handle(async () => {})

const limits = { perMinute: 4, burst: 2, by: 'user' } as const
const rig = () => createRig([ping, open, forgot, login], { surface: { limits } })
const numbers = (response: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(response.headers.get(`x-ratelimit-${name}`)))

describe('createMemoryCounters', () => {
  it('deletes idle keys, and never exceeds its maximum size', () => {
    const clock = createManualClock(0)
    const counters = createMemoryCounters(clock, 50)
    const rule = { limit: 1, burst: 0, windowMs: 60_000 }
    for (let i = 0; i < 500; i += 1) void counters.hit(`k${i}`, rule)
    expect(counters.size).toBe(50)
    clock.advance(60_000)
    void counters.hit('last', rule)
    expect(counters.size).toBe(1)
  })
})

describe('rate limit', () => {
  it('returns the remaining requests and rejects beyond limit and burst', async () => {
    const { call, clock } = rig()
    const seen: number[] = []
    for (let i = 0; i < 6; i += 1) {
      const response = await call('GET', '/dashboard/v1/ping', { as: 'member' })
      expect(response.status).toBe(204)
      seen.push(numbers(response)[1] as number)
      clock.advance(1_000)
    }
    expect(seen).toEqual([3, 2, 1, 0, 0, 0])
    const refused = await call('GET', '/dashboard/v1/ping', { as: 'member' })
    expect(numbers(refused)).toEqual([4, 0, 1_800_000_060])
    expect(refused.headers.get('retry-after')).toBe('54')
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect((await call('GET', '/dashboard/v1/ping', { as: 'admin' })).status).toBe(204)
    clock.advance(54_000)
    expect((await call('GET', '/dashboard/v1/ping', { as: 'member' })).status).toBe(204)
  })

  it('counts callers without a principal by address, rejected ones too, IPv6 by network', async () => {
    const { call } = rig()
    const ask = (from: string, path = 'open', as?: string) =>
      call('GET', `/dashboard/v1/${path}`, { from, as })
    for (let i = 0; i < 3; i += 1) expect((await ask(`2001:db8:1:2::${i}`)).status).toBe(204)
    for (let i = 0; i < 3; i += 1) expect((await ask('2001:db8:1:2:a::', 'ping', 'forged')).status).toBe(401)
    expect((await ask('2001:db8:1:2::ffff')).status).toBe(429)
    expect((await ask('2001:db8:1:2::ffff', 'ping', 'forged')).status).toBe(429)
    expect((await ask('2001:db8:1:3::1')).status).toBe(204)
  })

  it('has separate limits for an endpoint, by address or by a field of the body', async () => {
    const { call } = createRig([forgot, login])
    const ask = async (path: string, email: string) => {
      const response = await call('POST', `/dashboard/v1/${path}`, { json: { email }, from: '203.0.113.1' })
      return [response.status, response.headers.get('x-ratelimit-limit')]
    }
    expect(await ask('forgot', 'a')).toEqual([204, '300'])
    expect(await ask('forgot', 'b')).toEqual([204, '300'])
    expect(await ask('forgot', 'c')).toEqual([429, '2'])
    expect(await ask('login', 'a')).toEqual([204, '300'])
    expect(await ask('login', 'A')).toEqual([204, '300'])
    expect(await ask('login', 'a')).toEqual([429, '2'])
    expect(await ask('login', 'b')).toEqual([204, '300'])
  })
})
