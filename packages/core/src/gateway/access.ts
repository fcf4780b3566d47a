import type { App, Principal, Role } from '../kernel/context.ts'
import { DomainError } from '../kernel/errors.ts'

/** The kinds of credential that a caller can show; each is separated from the others by its own rules. */
export type CredentialKind = 'jwt' | 'apikey' | 'task' | 'registration'

/** Open to everybody; no credential is read. */
export interface PublicAccess {
  readonly public: true
}

/** Who may call an endpoint, and with what. */
export interface RestrictedAccess {
  readonly public: false
  readonly roles: readonly Role[] | 'any'
  /** App access that a principal must hold; one of several when it is a list. */
  readonly apps: readonly App[]
  readonly credentials: readonly CredentialKind[]
}

export type Access = PublicAccess | RestrictedAccess

/** No credential needed. Said aloud at every endpoint that is open. */
export const publicAccess: PublicAccess = Object.freeze({ public: true })

/**
 * Names the roles, the app access and the kinds of credential that an endpoint or a surface accepts.
 * @param rule `credentials` defaults to access tokens (`jwt`)
 */
export function access(rule: {
  roles: readonly Role[] | 'any'
  app?: App | readonly App[]
  credentials?: readonly CredentialKind[]
}): RestrictedAccess {
  const apps = rule.app === undefined ? [] : typeof rule.app === 'string' ? [rule.app] : rule.app
  const credentials: readonly CredentialKind[] = rule.credentials ?? ['jwt']
  return Object.freeze({ public: false as const, roles: rule.roles, apps, credentials })
}

const reads = new Set(['GET', 'HEAD'])

/**
 * The surface access matrix: role, app access, and that an impersonation token only reads. Someone who impersonates
 * sees what an administrator of that tenant sees on the dashboard, and nothing of a super-admin's.
 * @throws DomainError `FORBIDDEN`
 */
export function checkAccess(rule: RestrictedAccess, principal: Principal, method: string): void {
  const observer = principal.impersonating !== undefined
  if (observer && !reads.has(method)) {
    throw new DomainError('FORBIDDEN', 'An impersonation token only reads')
  }
  const role = observer ? 'admin' : principal.role
  if (rule.roles !== 'any' && !rule.roles.includes(role)) {
    throw new DomainError('FORBIDDEN', 'Your role has no access here')
  }
  if (observer) {
    // Also where no app is asked for, as at one's own profile: that would be the super-admin's.
    if (rule.apps.includes('dashboard')) return
    throw new DomainError('FORBIDDEN', 'An impersonation token shows the dashboard only')
  }
  if (rule.apps.length > 0 && !rule.apps.some((app) => principal.appAccess.includes(app))) {
    throw new DomainError('FORBIDDEN', `This needs access to ${rule.apps.join(' or ')}`)
  }
}
