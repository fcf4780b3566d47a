import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../packages/core/src/gateway/access.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import type { Principal } from '../../packages/core/src/kernel/context.ts'
import { DomainError } from '../../packages/core/src/kernel/errors.ts'
import { createRig, errorOf, team, tenantA, tenantB } from './rig.ts'

function rig() {
  let made = 0
  let hold: Promise<void> | undefined
  const create = endpoint({
    id: 'd.create',
    route: 'POST /things',
    summary: 'Create',
    access: team,
    body: z.object({ name: z.string() }),
    reply: { 201: z.object({ n: z.number(), name: z.string() }) },
    errors: ['CONFLICT'],
  }).handle(async (_ctx, { body }) => {
    await hold
    made += 1
    if (body.name === 'fail' && made === 1) throw new DomainError('CONFLICT', 'Not now')
    return { n: made, name: body.name }
  })
  const other = endpoint({
    id: 'd.other',
    route: 'POST /others',
    summary: 'Create another',
    access: team,
    body: z.object({ name: z.string() }),
    reply: { 204: z.void() },
  }).handle(async () => void (made += 1))
  const built = createRig([create, other])
  const send = (name: string, options: { key?: string; as?: string; path?: string } = {}) =>
    built.call('POST', `/dashboard/v1/${options.path ?? 'things'}`, {
      as: options.as ?? 'member',
      json: { name },
      headers: { 'idempotency-key': options.key ?? 'k1' },
    })
  return { ...built, send, made: () => made, block: (until: Promise<void>) => void (hold = until) }
}

describe('Idempotency-Key', () => {
  it('executes once and replays the first response', async () => {
    const { send, made, audits } = rig()
    const first = await send('x')
    const again = await send('x')
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect([again.status, await again.text()]).toEqual([201, await first.text()])
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(made()).toBe(1)
    expect(audits).toHaveLength(1)
  })

  it('replays a response without a body', async () => {
    const { send, made } = rig()
    await send('x', { path: 'others' })
    const again = await send('x', { path: 'others' })
    expect([again.status, again.headers.get('idempotent-replayed'), made()]).toEqual([204, 'true', 1])
  })

  it('rejects the same key with another body', async () => {
    const { send, made } = rig()
    await send('x')
    expect(await errorOf(await send('y'))).toEqual({ status: 422, code: 'UNPROCESSABLE' })
    expect(made()).toBe(1)
  })

  it('rejects the same request while the first is in progress', async () => {
    const { send, block, made } = rig()
    const hold = Promise.withResolvers<void>()
    block(hold.promise)
    const first = send('x')
    const second = await send('x')
    expect(await errorOf(second)).toEqual({ status: 409, code: 'CONFLICT' })
    hold.resolve()
    expect((await first).status).toBe(201)
    expect(made()).toBe(1)
  })

  it('stores successful responses only', async () => {
    const { send, made } = rig()
    expect((await send('fail')).status).toBe(409)
    const again = await send('fail')
    expect([again.status, again.headers.get('idempotent-replayed'), made()]).toEqual([201, null, 2])
  })

  it('is bound to caller, method and path', async () => {
    const { send, made } = rig()
    await send('x')
    await send('x', { as: 'admin' })
    await send('x', { path: 'others' })
    await send('x', { key: 'k2' })
    expect(made()).toBe(4)
  })

  it('treats another tenant in the header as another request, and another API key as another caller', async () => {
    const apiKey = (keyId: string): Principal => ({
      id: 'U-rev',
      type: 'api_key',
      role: 'reviewer',
      appAccess: ['dm-portal'],
      tenants: [tenantA, tenantB],
      keyId,
    })
    const create = endpoint({
      id: 'd.where',
      route: 'POST /where',
      summary: 'Create somewhere',
      access: access({ roles: ['reviewer'], credentials: ['apikey'] }),
      reply: { 200: z.object({ scope: z.array(z.string()) }) },
    }).handle(async (ctx) => ({ scope: [ctx.scope].flat() }))
    const { call } = createRig([create], {
      surface: { tenant: 'query-or-header' },
      ports: { authenticate: ({ token }) => apiKey(token) },
    })
    const send = async (key: string, tenantId: string) => {
      const headers = { authorization: `ApiKey ${key}`, 'idempotency-key': 'k1', 'x-tenant-id': tenantId }
      const response = await call('POST', '/dashboard/v1/where', { headers })
      return response.status === 200 ? response.json() : errorOf(response)
    }
    expect(await send('one', tenantA)).toEqual({ scope: [tenantA] })
    expect(await send('one', tenantB)).toEqual({ status: 422, code: 'UNPROCESSABLE' })
    expect(await send('two', tenantB)).toEqual({ scope: [tenantB] })
  })

  it('rejects an invalid key', async () => {
    const { send } = rig()
    expect(await errorOf(await send('x', { key: 'a b' }))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'Idempotency-Key',
    })
  })
})
