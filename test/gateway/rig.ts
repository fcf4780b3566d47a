import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { access, publicAccess } from '../../packages/core/src/gateway/access.ts'
import type { LaterSurface } from '../../packages/core/src/gateway/doors.ts'
import { createGateway } from '../../packages/core/src/gateway/mount.ts'
import type {
  Claimed,
  GatewayOptions,
  IdempotencyStore,
  Ports,
} from '../../packages/core/src/gateway/ports.ts'
import { type AnySurface, type SurfaceSpec, surface } from '../../packages/core/src/gateway/surface.ts'
import type { AuditEntry, Ctx, Principal } from '../../packages/core/src/kernel/context.ts'
import { DomainError, type ErrorCode } from '../../packages/core/src/kernel/errors.ts'
import { type Clock, createIds } from '../../packages/core/src/platform/clock.ts'
import type { LogFields, Logger } from '../../packages/core/src/platform/log.ts'

export const tenantA = '01JZ0000000000000000000A00'
export const tenantB = '01JZ0000000000000000000B00'
export const runId = '01JZ0000000000000000000RVN'
export const someId = '01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'

const people: Record<string, Principal> = {
  admin: { id: 'U-admin', type: 'human', role: 'admin', tenantId: tenantA, appAccess: ['dashboard'] },
  member: { id: 'U-member', type: 'human', role: 'member', tenantId: tenantA, appAccess: ['dashboard'] },
  reviewer: {
    id: 'U-rev',
    type: 'human',
    role: 'reviewer',
    appAccess: ['dm-portal'],
    tenants: [tenantA, tenantB],
  },
  outsider: { id: 'U-out', type: 'human', role: 'reviewer', appAccess: [] },
  observer: {
    id: 'U-super',
    type: 'human',
    role: 'super_admin',
    appAccess: ['manage'],
    impersonating: tenantA,
    tenantId: tenantA,
  },
  task: { id: runId, type: 'agent', role: 'agent', appAccess: [], tenantId: tenantA },
}

export const team = access({ roles: ['admin', 'member'], app: 'dashboard' })
export const adminOnly = access({ roles: ['admin'], app: 'dashboard' })

export interface ManualClock extends Clock {
  advance(ms: number): void
}

/** A clock that moves only when the test advances it. */
export function createManualClock(start = 1_800_000_000_000): ManualClock {
  let now = start
  const timers = new Set<{ at: number; fn: () => void }>()
  return {
    now: () => now,
    date: () => new Date(now),
    after(ms, fn) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      now += ms
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.fn()
      }
    },
  }
}

export interface LogLine extends LogFields {
  level: string
  message: string
}

export function createRig(
  endpoints: AnySurface['endpoints'],
  given: {
    surface?: Partial<SurfaceSpec<string, AnySurface['endpoints']>>
    more?: AnySurface[]
    /** Loads surfaces that are not there from the beginning. */
    later?: readonly LaterSurface[]
    ports?: Partial<Ports>
    options?: Partial<GatewayOptions>
  } = {},
) {
  const clock = createManualClock()
  const lines: LogLine[] = []
  const undeclared: { endpoint: string; code: ErrorCode }[] = []
  const audits: { entry: AuditEntry; ctx: Ctx }[] = []
  const ids = createIds(clock)
  const logger = (bound: LogFields): Logger => {
    const at =
      (level: string) =>
      (message: string, fields: LogFields = {}) =>
        void lines.push({ level, message, ...bound, ...fields })
    const child = (fields: LogFields) => logger({ ...bound, ...fields })
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
  }
  const door = surface({
    name: 'dashboard',
    prefix: '/dashboard/v1',
    access: team,
    tenant: 'claim',
    limits: { perMinute: 300, burst: 60, by: 'user' },
    ...given.surface,
    endpoints,
  })
  const ports: Ports = {
    authenticate({ token }) {
      const found = people[token]
      if (token === 'expired') throw new DomainError('TOKEN_EXPIRED', 'The token has expired')
      if (!found) throw new DomainError('INVALID_TOKEN', 'The token is not valid')
      return found
    },
    resolveTenant(principal, named) {
      const own = principal.tenants ?? (principal.tenantId ? [principal.tenantId] : [])
      if (named === undefined || own === 'all') return own
      if (!own.includes(named)) throw new DomainError('FORBIDDEN', 'The tenant is not assigned to you')
      return [named]
    },
    runTenant: (principal) => [principal.tenantId as string],
    openContext: (request) =>
      ({
        scope: request.scope ?? [],
        actor: request.principal,
        trace: request.trace,
        log: request.log,
      }) as never,
    audit: (ctx, entry) => void audits.push({ ctx, entry }),
    idempotency: createStore(),
    ...given.ports,
  }
  const gateway = createGateway({
    surfaces: [door, ...(given.more ?? [])],
    ...(given.later && { later: given.later }),
    ports,
    options: {
      clock,
      newId: ids,
      log: logger({}),
      onUndeclaredError: (fault) => void undeclared.push(fault),
      ...given.options,
    },
  })
  const request = (method: string, path: string, init: CallInit = {}) => {
    const headers = new Headers(init.headers)
    if (init.as) headers.set('authorization', `Bearer ${init.as}`)
    if (init.json !== undefined) headers.set('content-type', 'application/json')
    const body = init.json === undefined ? init.body : JSON.stringify(init.json)
    return new Request(`http://copydesk.test${path}`, {
      method,
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
  }
  return {
    clock,
    lines,
    undeclared,
    audits,
    gateway,
    /** Sends a request through `gateway.fetch`, from the address `from`. */
    call: (method: string, path: string, init: CallInit = {}) =>
      gateway.fetch(request(method, path, init), { ip: init.from ?? '127.0.0.1' }),
  }
}

export interface CallInit {
  as?: string
  json?: unknown
  body?: unknown
  headers?: Record<string, string>
  from?: string
}

/** The shape of every refusal. */
export async function errorOf(response: Response): Promise<{ status: number; code: string; field?: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string; field?: string } }
  return {
    status: response.status,
    code: error.code,
    ...(error.field !== undefined && { field: error.field }),
  }
}

/** Keeps idempotent answers in memory. */
export function createStore(): IdempotencyStore {
  const kept = new Map<string, { hash: string; done?: { status: number; body: string } }>()
  return {
    begin(key, hash): Claimed {
      const found = kept.get(key)
      if (!found) {
        kept.set(key, { hash })
        return { state: 'new', claim: { key, id: key, hash } }
      }
      if (found.hash !== hash) return { state: 'other' }
      return found.done ? { state: 'done', ...found.done } : { state: 'running' }
    },
    complete({ key }, answer) {
      const found = kept.get(key)
      if (found) found.done = answer
    },
    abandon: ({ key }) => void kept.delete(key),
  }
}

/** A real node server around the gateway; closed with `await using`. */
export async function listen(node: ReturnType<typeof createRig>['gateway']['node']) {
  const server = createServer((req, res) => void node(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    server,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export { publicAccess }

/** Calls `fn` so many times before the first has answered. */
export function atOnce<T>(times: number, fn: (i: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, async (_, i) => fn(i)))
}
