import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createRig, team } from './rig.ts'

describe('drain', () => {
  it('rejects new requests while draining, and waits for active ones', async () => {
    const hold = Promise.withResolvers<void>()
    const slow = endpoint({
      id: 'dashboard.slow',
      route: 'GET /slow',
      summary: 'Take long',
      access: team,
      reply: { 200: z.object({}) },
    }).handle(async () => {
      await hold.promise
      return {}
    })
    const { call, gateway } = createRig([slow])
    // Loads the router, for which a first request waits.
    await call('GET', '/dashboard/v1/unknown', { as: 'member' })
    const first = call('GET', '/dashboard/v1/slow', { as: 'member' })
    const drained = gateway.drain().then(() => 'drained')
    const second = await call('GET', '/dashboard/v1/slow', { as: 'member' })
    expect(second.status).toBe(503)
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await Promise.race([drained, Promise.resolve('waiting')])).toBe('waiting')
    hold.resolve()
    expect((await first).status).toBe(200)
    expect(await drained).toBe('drained')
  })
})
