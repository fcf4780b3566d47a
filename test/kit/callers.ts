import type { EndpointInfo } from '@copydesk/core'
import type { App, Role } from '../../packages/core/src/kernel/context.ts'
import type { SeededInstance } from './seeded-instance.ts'

export type Person = Exclude<Role, 'agent'>
type Restricted = Exclude<EndpointInfo['access'], { public: true }>
type Credential = Restricted['credentials'][number]

/** What a refusal says: status, code and `WWW-Authenticate`. */
export type Refusal = string

export const plain: Refusal = '401 UNAUTHORIZED Bearer'
export const invalid: Refusal = '401 INVALID_TOKEN Bearer error="invalid_token"'
export const expired: Refusal = '401 TOKEN_EXPIRED Bearer error="expired_token"'
export const badKey: Refusal = '401 INVALID_API_KEY Bearer'
export const forbidden: Refusal = '403 FORBIDDEN'

/** A caller, with the error of endpoints to which it has no access; undefined where it has access. */
export interface Caller {
  name: string
  /** The `Authorization` header. */
  shows(info: EndpointInfo): string | undefined
  refusal(info: EndpointInfo): Refusal | undefined
}

export const ruleOf = ({ access }: EndpointInfo): Restricted | undefined =>
  access.public ? undefined : (access as Restricted)

/** Whether an endpoint takes one of some kinds of credential. */
export const takes = (info: EndpointInfo, ...kinds: Credential[]) =>
  kinds.some((kind) => ruleOf(info)?.credentials.includes(kind))
const takesTokens = (info: EndpointInfo) => takes(info, 'jwt', 'task', 'registration')

/** A token where it is wanted is answered by `then`; elsewhere it is no token at all, or no credential. */
export function token(
  name: string,
  make: (info: EndpointInfo) => string,
  wanted: (info: EndpointInfo) => boolean,
  then: (info: EndpointInfo) => Refusal | undefined,
): Caller {
  return {
    name,
    shows: (info) => `Bearer ${make(info)}`,
    refusal: (info) => (!takesTokens(info) ? plain : wanted(info) ? then(info) : invalid),
  }
}

/** The same for the key of a program. */
export function key(name: string, text: string, then: (info: EndpointInfo) => Refusal | undefined): Caller {
  return {
    name,
    shows: () => `ApiKey ${text}`,
    refusal: (info) => (takes(info, 'apikey') ? then(info) : plain),
  }
}

export const everyApp: readonly App[] = ['dashboard', 'dm-portal', 'manage']
/** What the access rule says of a role with some apps. */
export function byRule(info: EndpointInfo, role: Role, apps: readonly App[]): Refusal | undefined {
  const rule = ruleOf(info) as Restricted
  if (rule.roles !== 'any' && !rule.roles.includes(role)) return forbidden
  return rule.apps.length > 0 && !rule.apps.some((app) => apps.includes(app)) ? forbidden : undefined
}

/** The claims of an access token of someone of ours. */
export function claimsOf(instance: SeededInstance, role: Person, apps: readonly App[] = everyApp) {
  const { ours, superAdmin, newId } = instance
  const [adminId, memberId] = ours.ids['users'] ?? []
  const sub = { admin: adminId, member: memberId, reviewer: ours.reviewerId, super_admin: superAdmin.id }[
    role
  ]
  const ofTenant = role === 'admin' || role === 'member'
  return {
    sub: sub ?? '',
    role,
    appAccess: apps,
    ...(ofTenant && { tenantId: ours.tenantId }),
    sid: newId(),
  }
}
