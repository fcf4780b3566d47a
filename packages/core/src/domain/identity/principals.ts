import { type Clock, isUlid } from '../../platform/clock.ts'
import { sha256Hex } from '../../platform/crypto/hash.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log.ts'
import type { Principal, Scope } from '../context.ts'
import { DomainError } from '../errors.ts'
import { notAssigned } from '../scope.ts'
import { isShut } from '../tenants/entities.ts'
import { isWellFormedKey } from './api-keys.ts'
import { assignedTenants, keyOwner, mayImpersonate, markUsed, runOwner, tenantStatus } from './queries.ts'
import type { Revocations } from './revocations.ts'
import type { Tokens, TokenUse, Verified } from './tokens.ts'

type Kind = 'jwt' | 'apikey' | 'task' | 'registration'
type TenantRule = 'claim' | 'claim-or-assigned' | 'query' | 'query-or-header' | 'run' | 'none' | 'all'

/** Who calls, and which tenants that one may see. */
export interface Identity {
  authenticate(
    credential: { scheme: 'Bearer' | 'ApiKey'; token: string },
    accepted: readonly Kind[],
  ): Promise<Principal>
  resolveTenant(principal: Principal, named: string | undefined, rule: TenantRule): Promise<Scope>
  runTenant(principal: Principal): Scope
  stillValid(principal: Principal): boolean
}

const usesByKind: Record<Kind, readonly TokenUse[]> = {
  jwt: ['access', 'impersonation'],
  apikey: [],
  task: ['task'],
  registration: ['registration'],
}

/** How long a tenant's status is believed; a suspension is told at once by its revocation. */
const statusMs = 5_000

const sessionEnded = () => new DomainError('UNAUTHORIZED', 'This session has ended; log in again')

export function createIdentity(parts: {
  db: Database
  clock: Clock
  log: Logger
  tokens: Tokens
  revocations: Revocations
}): Identity {
  const { db, clock, log, tokens, revocations } = parts
  const statuses = new Map<string, { status: string | undefined; until: number }>()
  const used = new Map<string, Date>()
  let stamping = false
  /** As it was when somebody came in: whoever works for other tenants since has to come in anew. */
  const changesSeen = new WeakMap<Principal, number>()

  const statusOf = async (tenantId: string) => {
    const known = statuses.get(tenantId)
    if (known && known.until > clock.now()) return known.status
    const status = await tenantStatus(db.sql, tenantId)
    // One that is shut is asked for anew each time: it is reinstated at once.
    if (status === undefined || isShut(status)) statuses.delete(tenantId)
    else statuses.set(tenantId, { status, until: clock.now() + statusMs })
    return status
  }
  const stillValid = (principal: Principal) => {
    const { id, type, sessionId, keyId, tenantId, impersonating, until } = principal
    // What is at work when its tenant is suspended may finish; nothing new is started.
    if (type === 'agent') return true
    if (until !== undefined && until <= clock.now()) return false
    if (revocations.changes(id) !== (changesSeen.get(principal) ?? revocations.changes(id))) return false
    // A super-admin also looks at a tenant that is suspended.
    return !revocations.has(id, sessionId, keyId, impersonating === undefined ? tenantId : undefined)
  }
  /** "Last used" is written for many keys at once, not on every request. */
  const stamp = (keyId: string) => {
    used.set(keyId, clock.date())
    if (stamping) return
    stamping = true
    clock.after(5_000, () => {
      const uses = new Map(used)
      used.clear()
      stamping = false
      db.write((tx) => markUsed(tx, uses)).catch((error: unknown) =>
        log.warn('API keys could not be stamped', { error }),
      )
    })
  }
  const byKey = async (key: string): Promise<Principal> => {
    const owner = isWellFormedKey(key) ? await keyOwner(db.sql, sha256Hex(key)) : undefined
    if (!owner || owner.revokedAt || (owner.expiresAt && owner.expiresAt.getTime() <= clock.now()))
      throw new DomainError('INVALID_API_KEY', 'The API key is unknown, expired or revoked')
    if (owner.userStatus !== 'active')
      throw new DomainError('UNAUTHORIZED', 'The user of this key is not active')
    if (isShut(owner.tenantStatus))
      throw new DomainError('UNAUTHORIZED', `The tenant is ${owner.tenantStatus}`)
    stamp(owner.keyId)
    const principal: Principal = {
      id: owner.userId,
      type: 'api_key',
      role: owner.role,
      appAccess: owner.appAccess,
      keyId: owner.keyId,
      assistantAccess: owner.assistantAccess,
      name: owner.name,
      email: owner.email,
      ...(owner.tenantId && { tenantId: owner.tenantId }),
      ...(owner.tenantIds && { tenants: owner.tenantIds }),
    }
    changesSeen.set(principal, revocations.changes(owner.userId))
    return principal
  }
  const byToken = async (token: string, uses: readonly TokenUse[]): Promise<Principal> => {
    const claims = tokens.verify(token, ...(uses as [TokenUse, ...TokenUse[]]))
    if (claims.aud === 'task') {
      const owner = await runOwner(db.sql, claims.sub)
      return {
        id: claims.sub,
        type: 'agent',
        role: 'agent',
        appAccess: [],
        attempt: claims.attempt,
        ...(owner && { tenantId: owner.tenantId, name: owner.agentName }),
      }
    }
    if (claims.aud === 'impersonation') return observer(claims)
    // A visitor is nobody yet: what can be done with the token is bound to the registration that it names.
    if (claims.aud === 'registration') return { id: claims.sub, type: 'human', role: 'member', appAccess: [] }
    if (claims.aud !== 'access')
      throw new DomainError('INVALID_TOKEN', 'The token is not valid here; log in again')
    const { sub, sid, role, appAccess, tenantId, name, email } = claims
    const principal: Principal = {
      id: sub,
      type: 'human',
      role,
      appAccess,
      sessionId: sid,
      ...(tenantId && { tenantId }),
      ...(name && { name }),
      ...(email && { email }),
    }
    changesSeen.set(principal, revocations.changes(sub))
    if (!stillValid(principal)) throw sessionEnded()
    return principal
  }
  /** Outlives what revocations remember, and comes seldom: what it was issued with is looked up each time. */
  const observer = async (claims: Verified<'impersonation'>): Promise<Principal> => {
    const { sub, sid, tenantId, name, email, exp } = claims
    if (!(await mayImpersonate(db.sql, sub, sid, clock.date()))) throw sessionEnded()
    return {
      id: sub,
      type: 'human',
      role: 'admin',
      appAccess: ['dashboard'],
      sessionId: sid,
      tenantId,
      impersonating: tenantId,
      until: exp * 1000,
      ...(name && { name }),
      ...(email && { email }),
    }
  }
  return {
    stillValid,
    async authenticate({ scheme, token }, accepted) {
      if (scheme === 'ApiKey') {
        if (accepted.includes('apikey')) return byKey(token)
        throw new DomainError('UNAUTHORIZED', 'API keys are not accepted here')
      }
      const uses = accepted.flatMap((kind) => usesByKind[kind])
      if (uses.length === 0) throw new DomainError('UNAUTHORIZED', 'Tokens are not accepted here')
      return byToken(token, uses)
    },
    async resolveTenant(principal, named, rule) {
      const own = principal.tenantId
      if (own !== undefined) {
        const status = await statusOf(own)
        if (status === undefined)
          throw new DomainError('TENANT_NOT_FOUND', 'The tenant of this token does not exist')
        if (isShut(status) && principal.impersonating === undefined)
          throw new DomainError('UNAUTHORIZED', `The tenant is ${status}`)
      }
      if (rule === 'none') return []
      if (rule === 'all') return principal.role === 'super_admin' ? (principal.tenants ?? 'all') : []
      // Whoever belongs to a tenant means that one, whatever else a reviewer's app lets them see.
      const belongs = rule === 'claim-or-assigned' && own !== undefined
      if (belongs && named !== undefined && named !== own) throw notAssigned()
      // Where no run is in progress, a key stands for the tenants that it was made for.
      if (belongs || rule === 'claim' || (rule === 'run' && principal.type === 'agent'))
        return own === undefined || !reaches(principal, own) ? [] : [own]
      return reviewed(db, principal, named)
    },
    runTenant: ({ tenantId }) => (tenantId === undefined ? [] : [tenantId]),
  }
}

/** False for a key that was narrowed to other tenants. */
function reaches({ tenants }: Principal, tenantId: string): boolean {
  return tenants === undefined || tenants === 'all' || tenants.includes(tenantId)
}

/** The tenants of a reviewer, an admin or a super-admin, narrowed to the one that is named. */
async function reviewed(db: Database, principal: Principal, named: string | undefined): Promise<Scope> {
  const everything = principal.role === 'super_admin' && principal.tenants === undefined
  if (everything && named === undefined) return 'all'
  // What is no id is not looked up: not every text is one for a database.
  if (named !== undefined && !isUlid(named)) throw notAssigned()
  if (everything) {
    if ((await tenantStatus(db.sql, named as string)) === undefined) throw notAssigned()
    return [named as string]
  }
  const assigned = new Set(await assignedTenants(db.sql, principal.id))
  if (principal.tenantId) assigned.add(principal.tenantId)
  const { tenants } = principal
  const allowed = Array.isArray(tenants)
    ? principal.role === 'super_admin'
      ? tenants
      : tenants.filter((id) => assigned.has(id))
    : [...assigned]
  if (named === undefined) return allowed
  if (!allowed.includes(named)) throw notAssigned()
  return [named]
}
