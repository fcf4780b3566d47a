import type { Copydesk } from '@copydesk/core'
import { z } from 'zod'
import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { createPorts } from '../../packages/core/src/composition/ports.ts'
import { access } from '../../packages/core/src/gateway/access.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createGateway } from '../../packages/core/src/gateway/mount.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import type { TestApp } from './app.ts'

const anybody = access({
  roles: 'any',
  credentials: ['apikey', 'jwt', 'task'],
})

const whoami = endpoint({
  id: 'keys.whoami',
  route: 'GET /whoami',
  summary: 'Who calls',
  access: anybody,
  reply: { 200: z.object({ id: z.string(), type: z.string(), scope: z.unknown() }) },
}).handle((ctx) => ({ id: ctx.actor.id, type: ctx.actor.type, scope: ctx.scope }))

const watch = eventStream({
  id: 'keys.watch',
  route: 'GET /watch',
  summary: 'Stays open',
  access: anybody,
  events: { hello: z.object({}) },
  open: (_ctx, _input, channel) => void channel.send({ event: 'hello', data: {} }),
})

/**
 * Another server on the same database with a surface that takes API keys: what any surface that takes them does with them.
 */
export async function openKeyDoor(app: TestApp): Promise<Pick<Copydesk, 'fetch'> & AsyncDisposable> {
  const assembled = await assemble(app.options)
  const { services, clock, newId, log } = assembled
  await services.events.start()
  await services.revocations.start()
  const gateway = createGateway({
    surfaces: [
      surface({
        name: 'keys',
        prefix: '/keys/v1',
        access: anybody,
        tenant: 'query-or-header',
        limits: { perMinute: 1_000, burst: 0, by: 'user' },
        endpoints: [whoami, watch],
      }),
    ],
    ports: createPorts(assembled),
    options: { clock, newId, log },
  })
  let shut: Promise<void> | undefined
  const close = async () => {
    await gateway.drain()
    services.revocations.stop()
    await services.events.stop()
    await services.http.close()
    await assembled.close()
  }
  return { fetch: gateway.fetch, [Symbol.asyncDispose]: () => (shut ??= close()) }
}
