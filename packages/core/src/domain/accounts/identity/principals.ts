import type { Principal, Scope } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Logger } from '../../../platform/log.ts'
import { isSuspended } from '../tenants/entities.ts'
import { isWellFormedKey } from './api-keys.ts'
import { impersonationGrant, keyOwner, markUsed, runOwner } from './queries.ts'
import type { Revocations } from './revocations.ts'
import { sessionEnd } from './sessions.ts'
import { TenantScopes } from './tenant-scopes.ts'
import type { Tokens, TokenUse, Verified } from './tokens.ts'

type Kind = 'jwt' | 'apikey' | 'task' | 'registration'

interface Credential {
  scheme: 'Bearer' | 'ApiKey'
  token: string
}

/** Who calls, and which tenants that one may see. */
export interface Identity {
  authenticate(credential: Credential, accepted: readonly Kind[]): Promise<Principal>
  resolveTenant: TenantScopes['resolve']
  runTenant(principal: Principal): Scope
  stillValid(principal: Principal): boolean
}

interface IdentityParts {
  db: Database
  clock: Clock
  log: Logger
  tokens: Tokens
  revocations: Revocations
}

const usesByKind: Record<Kind, readonly TokenUse[]> = {
  jwt: ['access', 'impersonation'],
  apikey: [],
  task: ['task'],
  registration: ['registration'],
}

const sessionEnded = () => new DomainError('UNAUTHORIZED', 'This session has ended; log in again')

export function createIdentity(parts: IdentityParts): Identity {
  const principals = new Principals(parts)
  const tenants = new TenantScopes(parts)
  return {
    authenticate: (credential, accepted) => principals.authenticate(credential, accepted),
    resolveTenant: (principal, named, rule) => tenants.resolve(principal, named, rule),
    runTenant: ({ tenantId }) => (tenantId === undefined ? [] : [tenantId]),
    stillValid: (principal) => principals.stillValid(principal),
  }
}

/** Finds out who a credential stands for, and whether that still holds. */
class Principals {
  readonly #parts: IdentityParts
  /** When keys were last used, as far as it is not written yet. */
  readonly #used = new Map<string, Date>()
  #stamping = false
  /** As it was when someone came in: anyone who works for other tenants since has to come in again. */
  readonly #changesSeen = new WeakMap<Principal, number>()

  constructor(parts: IdentityParts) {
    this.#parts = parts
  }

  async authenticate({ scheme, token }: Credential, accepted: readonly Kind[]): Promise<Principal> {
    if (scheme === 'ApiKey') {
      if (accepted.includes('apikey')) return this.#byKey(token)
      throw new DomainError('UNAUTHORIZED', 'API keys are not accepted here')
    }
    const uses = accepted.flatMap((kind) => usesByKind[kind])
    if (uses.length === 0) throw new DomainError('UNAUTHORIZED', 'Tokens are not accepted here')
    return this.#byToken(token, uses)
  }

  stillValid(principal: Principal): boolean {
    const { clock, revocations } = this.#parts
    const { id, type, sessionId, keyId, tenantId, impersonating, until } = principal
    // What is running when its tenant is suspended may finish; nothing new is started.
    if (type === 'agent') return true
    if (until !== undefined && until <= clock.now()) return false
    const changes = revocations.changes(id)
    if (changes !== (this.#changesSeen.get(principal) ?? changes)) return false
    // A super-admin also looks at a tenant that is suspended.
    return !revocations.has(id, sessionId, keyId, impersonating === undefined ? tenantId : undefined)
  }

  async #byKey(key: string): Promise<Principal> {
    const { db, clock } = this.#parts
    const owner = isWellFormedKey(key) ? await keyOwner(db.sql, sha256Hex(key)) : undefined
    if (!owner || owner.revokedAt || (owner.expiresAt && owner.expiresAt.getTime() <= clock.now()))
      throw new DomainError('INVALID_API_KEY', 'The API key is unknown, expired or revoked')
    if (owner.userStatus !== 'active')
      throw new DomainError('UNAUTHORIZED', 'The user of this key is not active')
    if (isSuspended(owner.tenantStatus))
      throw new DomainError('UNAUTHORIZED', `The tenant is ${owner.tenantStatus}`)
    this.#stamp(owner.keyId)
    return this.#seen({
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
      ...(owner.expiresAt && { until: owner.expiresAt.getTime() }),
    })
  }

  async #byToken(token: string, uses: readonly TokenUse[]): Promise<Principal> {
    const { db, tokens } = this.#parts
    const claims = await tokens.verify(token, ...(uses as [TokenUse, ...TokenUse[]]))
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
    if (claims.aud === 'impersonation') return this.#observer(claims)
    // A visitor is no one yet: what can be done with the token is bound to the registration that it names.
    if (claims.aud === 'registration') return { id: claims.sub, type: 'human', role: 'member', appAccess: [] }
    if (claims.aud !== 'access')
      throw new DomainError('INVALID_TOKEN', 'The token is not valid here; log in again')
    const { sub, sid, role, appAccess, tenantId, name, email } = claims
    const principal = this.#seen({
      id: sub,
      type: 'human',
      role,
      appAccess,
      sessionId: sid,
      until: sessionEnd(sid),
      ...(tenantId && { tenantId }),
      ...(name && { name }),
      ...(email && { email }),
    })
    if (!this.stillValid(principal)) throw sessionEnded()
    return principal
  }

  /** Outlives what revocations remember, and comes seldom: what it was issued with is looked up each time. */
  async #observer(claims: Verified<'impersonation'>): Promise<Principal> {
    const { db, clock } = this.#parts
    const { sub, sid, tenantId, name, email, exp } = claims
    const grant = await impersonationGrant(db.sql, sub, sid, clock.date())
    if (!grant) throw sessionEnded()
    return this.#seen({
      id: sub,
      type: 'human',
      role: 'admin',
      appAccess: ['dashboard'],
      sessionId: sid,
      tenantId,
      impersonating: tenantId,
      until: Math.min(exp * 1000, grant.endsAt?.getTime() ?? Number.POSITIVE_INFINITY),
      ...(name && { name }),
      ...(email && { email }),
    })
  }

  #seen(principal: Principal): Principal {
    this.#changesSeen.set(principal, this.#parts.revocations.changes(principal.id))
    return principal
  }

  /** "Last used" is written for many keys at once, not on every request. */
  #stamp(keyId: string): void {
    const { db, clock, log } = this.#parts
    this.#used.set(keyId, clock.date())
    if (this.#stamping) return
    this.#stamping = true
    clock.after(5_000, () => {
      const uses = new Map(this.#used)
      this.#used.clear()
      this.#stamping = false
      db.write((tx) => markUsed(tx, uses)).catch((error: unknown) =>
        log.warn('API keys could not be stamped', { error }),
      )
    })
  }
}
