import { z } from 'zod'
import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { createPorts } from '../../packages/core/src/composition/ports.ts'
import { access } from '../../packages/core/src/gateway/access.ts'
import { delegate } from '../../packages/core/src/gateway/delegate.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createGateway } from '../../packages/core/src/gateway/mount.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { oneTenant } from '../../packages/core/src/kernel/scope.ts'
import * as approvals from '../../packages/core/src/surfaces/dm/approvals.ts'
import type { TestApp } from './app.ts'

/** Who may come with a key by the access matrix of the contract: staff at the terminal's surface. */
const staff = access({ roles: ['reviewer', 'super_admin'], credentials: ['apikey', 'jwt'] })
/** The agents' surface takes keys of any role where no run is in progress. */
const anyKey = access({ roles: 'any', credentials: ['apikey'] })

const Caller = z.object({
  principal: z.object({
    id: z.string(),
    type: z.string(),
    role: z.string(),
    tenantId: z.string().optional(),
    appAccess: z.array(z.string()),
    keyId: z.string().optional(),
  }),
  scope: z.union([z.literal('all'), z.array(z.string())]),
})
type Caller = z.output<typeof Caller>

const whoAmI = endpoint({
  id: 'cli.who_am_i',
  route: 'GET /who-am-i',
  summary: 'Who the gateway takes the caller for, and which tenants that one sees',
  access: staff,
  reply: { 200: Caller },
}).handle(({ actor, scope }) => ({
  principal: { ...actor, appAccess: [...actor.appAccess] },
  scope: scope === 'all' ? scope : [...scope],
}))

const watch = eventStream({
  id: 'cli.watch',
  route: 'GET /watch',
  summary: 'Stays open until someone closes it',
  access: staff,
  events: { open: z.object({}) },
  open: (_ctx, _input, channel) => void channel.send({ event: 'open', data: {} }),
})

const terminal = surface({
  name: 'cli',
  prefix: '/cli/v1',
  access: staff,
  tenant: 'query-or-header',
  limits: { perMinute: 1_200, burst: 240, by: 'user' },
  endpoints: [
    whoAmI,
    watch,
    delegate(approvals.list, { id: 'cli.approvals', route: 'GET /approvals', access: staff }),
    delegate(approvals.resolve, {
      id: 'cli.approvals.resolve',
      route: 'POST /approvals/:id/resolve',
      access: staff,
    }),
  ],
})

/** Endpoints of the caller’s tenant, and those of all tenants. */
const byRule = (['claim', 'all'] as const).map((tenant) => {
  const anybody = access({ roles: 'any', credentials: ['apikey'] })
  return surface({
    name: tenant,
    prefix: `/${tenant}/v1`,
    access: anybody,
    tenant,
    limits: { perMinute: 1_200, burst: 0, by: 'user' },
    endpoints: [delegate(whoAmI, { id: `${tenant}.who_am_i`, route: 'GET /who-am-i', access: anybody })],
  })
})

const agent = surface({
  name: 'agent',
  prefix: '/agent/v1',
  access: anyKey,
  tenant: 'run',
  limits: { perMinute: 60, burst: 0, by: 'run' },
  endpoints: [
    endpoint({
      id: 'agent.health',
      route: 'GET /health/:agentRole',
      summary: 'The tenant that the key stands for',
      access: anyKey,
      reply: { 200: z.object({ tenantId: z.string() }) },
    }).handle((ctx) => ({ tenantId: oneTenant(ctx) })),
  ],
})

/** An answer: either its body or why there is none. */
export interface KeyAnswer {
  status: number
  body?: Caller
  code?: string
  field?: string | undefined
  message?: string
}

export interface KeyDoors extends AsyncDisposable {
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Shows a credential, by default at the terminal where it is asked who the caller is. */
  ask(authorization: string, path?: string, headers?: Record<string, string>): Promise<KeyAnswer>
}

/**
 * Another node on the app's database, with test endpoints that accept API keys by the rules of `/cli/v1`, of
 * the agents' health checks and of each kind of tenant, with the same identity, limits and handlers as every
 * other endpoint.
 */
export async function openKeyDoors(app: TestApp): Promise<KeyDoors> {
  const node = await assemble(app.options)
  const { events, revocations, http } = node.services
  const { clock, newId, log } = node
  await events.start()
  await revocations.start()
  const options = { clock, newId, log }
  const gateway = createGateway({ surfaces: [terminal, agent, ...byRule], ports: createPorts(node), options })
  const fetch: KeyDoors['fetch'] = (path, init) =>
    gateway.fetch(new Request(`http://copydesk.test${path}`, init), { ip: '203.0.113.9' })
  return {
    fetch,
    async ask(authorization, path = '/cli/v1/who-am-i', headers = {}) {
      const response = await fetch(path, { headers: { authorization, ...headers } })
      const body = (await response.json()) as Caller & { error?: Omit<KeyAnswer, 'status' | 'body'> }
      return { status: response.status, ...(body.error ?? { body }) }
    },
    async [Symbol.asyncDispose]() {
      await gateway.drain()
      revocations.stop()
      await events.stop()
      await http.close()
      await node.close()
    },
  }
}
