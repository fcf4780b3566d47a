import type { Principal } from '../kernel/context.ts'
import { DomainError, invalid, rateLimited } from '../kernel/errors.ts'
import type { Count, CountRule } from '../platform/counters/counters.ts'
import { sha256Hex } from '../platform/crypto/hash.ts'
import { checkAccess, type RestrictedAccess } from './access.ts'
import { countedAs } from './client-ip.ts'
import type { Credential } from './ports.ts'
import { header, type RequestContext } from './request-context.ts'

/** Gives the request its own id, whatever the caller sends. */
export function assignId(x: RequestContext): void {
  x.requestId = x.runtime.newId()
}

export function findClient(x: RequestContext): void {
  x.ip = x.runtime.clientIp(x.incoming.remote, header(x.incoming, 'x-forwarded-for'))
  if (x.incoming.remote === undefined) x.runtime.warnAddressless()
}

/** How many callers are taken to share a limit by address where no address is known. */
const callersWithoutAddress = 20

/** Whom a limit by address counts, and how wide it is: where no address is known, it is that of all callers together. */
function byAddress(x: RequestContext, rule: CountRule): { who: string; rule: CountRule } {
  if (x.incoming.remote !== undefined) return { who: countedAs(x.ip), rule }
  const { limit, burst } = rule
  const wide = { ...rule, limit: limit * callersWithoutAddress, burst: burst * callersWithoutAddress }
  return { who: 'unknown', rule: wide }
}

/** The gateway is going down; the caller finds another one, or this one again, in a moment. */
export class Unavailable extends DomainError {
  constructor() {
    super('INTERNAL_ERROR', 'The server is restarting; try again in a moment')
  }
}

export function refuseWhenDraining(x: RequestContext): void {
  if (x.runtime.draining) throw new Unavailable()
}

/**
 * Asks the application who shows the credential.
 * @throws DomainError `UNAUTHORIZED` when there is none, or none of a kind that is accepted here
 */
export function authenticate(x: RequestContext): Promise<void> | void {
  const { access } = x.endpoint.def
  if (access.public) return
  const found = x.runtime.ports.authenticate(readCredential(x, access), access.credentials)
  if (found instanceof Promise) return found.then((principal) => void (x.principal = principal))
  x.principal = found
}

const scheme = /^(Bearer|ApiKey) +(\S+) *$/i

function readCredential(x: RequestContext, access: RestrictedAccess): Credential {
  const value = header(x.incoming, 'authorization')
  if (value === undefined) throw new DomainError('UNAUTHORIZED', 'The Authorization header is missing')
  const match = scheme.exec(value)
  if (!match)
    throw new DomainError('UNAUTHORIZED', 'The Authorization header needs "Bearer" or "ApiKey" and a token')
  const kind = (match[1] as string).toLowerCase() === 'bearer' ? 'Bearer' : 'ApiKey'
  const accepted = access.credentials.some((credential) => (credential === 'apikey') === (kind === 'ApiKey'))
  if (!accepted)
    throw new DomainError('UNAUTHORIZED', `Credentials of the scheme ${kind} are not accepted here`)
  return { scheme: kind, token: match[2] as string }
}

/** Finds what the principal may see here, by the rule of the surface. */
export function resolveTenant(x: RequestContext): Promise<void> | void {
  const { principal } = x
  if (!principal) return
  const { ports } = x.runtime
  const rule = x.endpoint.surface.tenant
  const scope =
    rule === 'run' && principal.type === 'agent'
      ? ports.runTenant(ownRun(x, principal))
      : ports.resolveTenant(principal, namedTenant(x), rule)
  if (scope instanceof Promise) return scope.then((found) => void (x.scope = found))
  x.scope = scope
}

/** A task token is good for the run that it was made for and for no other. */
function ownRun(x: RequestContext, principal: Principal): Principal {
  const named = x.incoming.params?.runId
  if (named !== undefined && named !== principal.id) {
    throw new DomainError('UNAUTHORIZED', 'The task token belongs to another run')
  }
  return principal
}

function namedTenant(x: RequestContext): string | undefined {
  const rule = x.endpoint.surface.tenant
  const { search } = x.incoming
  const both = rule === 'query-or-header' || rule === 'claim-or-assigned'
  const byQuery = rule === 'query' || both
  // The name itself may come encoded.
  const inQuery = byQuery && (search.includes('tenantId=') || search.includes('%'))
  const all = inQuery ? new URLSearchParams(search).getAll('tenantId') : []
  const inHeader = both || rule === 'run' ? header(x.incoming, 'x-tenant-id') : undefined
  if (inHeader !== undefined) all.push(inHeader)
  if (new Set(all).size > 1) throw invalid('tenantId', 'tenantId and X-Tenant-Id name different tenants')
  return all[0]
}

/** The access matrix: role, app access, and that observers only read. */
export function checkSurface(x: RequestContext): void {
  const { access } = x.endpoint.def
  if (!access.public) checkAccess(access, x.principal as Principal, x.incoming.method)
}

/** Counts the request against its surface. @throws DomainError `RATE_LIMITED` */
export async function limitRate(x: RequestContext): Promise<void> {
  await countRequest(x)
  const { extraRule, def } = x.endpoint
  if (extraRule && def.limit?.field === undefined) await limitEndpoint(x)
}

/** Counts the request once, also one that was refused before it came to its limit. */
export function countRequest(x: RequestContext): Promise<void> | void {
  if (x.count) return
  const { rule, surface, def } = x.endpoint
  const { principal } = x
  if (def.unlimited) {
    // The headers stand on every answer; nothing is counted, here or in a store.
    x.rule = rule
    x.count = { admitted: true, used: 0, resetAt: x.runtime.clock.now() + rule.windowMs }
    return
  }
  const counted =
    principal && surface.limits.by !== 'ip'
      ? { who: `${principal.tenantId ?? '-'}:${principal.id}`, rule }
      : byAddress(x, rule)
  x.rule = counted.rule
  const key =
    principal && surface.limits.by !== 'ip'
      ? `rate:${surface.name}:${counted.who}`
      : `rate:${surface.name}:-:${counted.who}`
  const count = x.runtime.counters.hit(key, counted.rule)
  if (count instanceof Promise) return count.then((found) => admit(x, found))
  admit(x, count)
}

function admit(x: RequestContext, count: Count): void {
  x.count = count
  if (count.admitted) return
  const wait = { until: count.resetAt, now: x.runtime.clock.now() }
  throw rateLimited(wait, (when) => `Too many requests; try again ${when}`)
}

/** Counts an endpoint's own limit that is not counted by a field of the body. */
export async function limitEndpoint(x: RequestContext): Promise<void> {
  const { extraRule, def, id } = x.endpoint
  if (!extraRule || !def.limit) return
  const counted =
    def.limit.by === 'user' && x.principal
      ? { who: x.principal.id, rule: extraRule }
      : byAddress(x, extraRule)
  await hitOwnLimit(x, `rate:${id}:${counted.who}`, counted.rule)
}

/**
 * Counts it by the field of the body that it names. Where the host tells no address, what is counted by address is counted by
 * such a field too, so that no one is troubled by what others try.
 */
export async function limitByField(x: RequestContext): Promise<void> {
  const { extraRule, def, id } = x.endpoint
  if (!extraRule || !def.limit) return
  const isAddressless = x.incoming.remote === undefined && def.limit.by === 'ip'
  const field = def.limit.field ?? (isAddressless ? def.limit.fieldWithoutAddress : undefined)
  if (field === undefined) return
  const { by } = def.limit
  const who = by === 'user' && x.principal ? x.principal.id : countedAs(x.ip)
  const body = (x.input?.body ?? {}) as Record<string, unknown>
  // Hashed: whatever comes, the key stays short, and no one's address lies in a store that others look into.
  const value = sha256Hex(String(body[field]).toLowerCase())
  await hitOwnLimit(x, `rate:${id}:${who}:${value}`, extraRule)
}

async function hitOwnLimit(x: RequestContext, key: string, rule: CountRule): Promise<void> {
  const count = await x.runtime.counters.hit(key, rule)
  if (count.admitted) return
  x.rule = rule
  admit(x, count)
}

/** Takes one of the places for requests at the same time, or one of those for streams. @throws DomainError `THROTTLED` */
export async function throttle(x: RequestContext): Promise<void> {
  const { def, surface } = x.endpoint
  const isStream = def.kind === 'stream'
  const max = isStream ? x.runtime.maxStreams : x.principal && surface.concurrency
  if (max === undefined) return
  const who = x.principal ? x.principal.id : countedAs(x.ip)
  const place = isStream ? `streams:${who}` : `requests:${surface.name}:${who}`
  if (await x.runtime.counters.enter(place, max)) {
    x.place = place
    // A stream hears itself that its reader is gone.
    if (!isStream) onGone(x, () => leave(x))
  } else {
    const what = isStream ? `${max} streams are open` : `${max} requests are running`
    throw new DomainError('THROTTLED', `${what} already; wait until one has ended`)
  }
}

/** Gives the place of the request back, once. */
export function leave(x: RequestContext): void {
  if (x.place === undefined) return
  x.runtime.counters.leave(x.place)
  x.place = undefined
}

/** Calls `fn` when the caller is gone, at the latest when the answer is through. */
function onGone({ incoming: { node, web } }: RequestContext, fn: () => void): void {
  if (node) node.res.once('close', fn)
  else web?.signal.addEventListener('abort', fn, { once: true })
}
