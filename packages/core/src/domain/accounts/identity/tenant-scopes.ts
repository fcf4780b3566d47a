import type { Principal, Scope } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { notAssigned } from '../../../kernel/scope.ts'
import { type Clock, isUlid } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import { isSuspended } from '../tenants/entities.ts'
import { assignedTenants, tenantStatus } from './queries.ts'

type TenantRule = 'claim' | 'claim-or-assigned' | 'query' | 'query-or-header' | 'run' | 'none' | 'all'

/** How long a tenant's status is believed; a suspension is told at once by its revocation. */
const statusMs = 5_000

/** Which tenants a request may see. */
export class TenantScopes {
  readonly #db: Database
  readonly #clock: Clock
  readonly #statuses = new Map<string, { status: string | undefined; until: number }>()

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db
    this.#clock = clock
  }

  async resolve(principal: Principal, named: string | undefined, rule: TenantRule): Promise<Scope> {
    const own = principal.tenantId
    if (own !== undefined) {
      const status = await this.#statusOf(own)
      if (status === undefined)
        throw new DomainError('TENANT_NOT_FOUND', 'The tenant of this token does not exist')
      if (isSuspended(status) && principal.impersonating === undefined)
        throw new DomainError('UNAUTHORIZED', `The tenant is ${status}`)
    }
    if (rule === 'none') return []
    if (rule === 'all') return principal.role === 'super_admin' ? (principal.tenants ?? 'all') : []
    // Anyone who belongs to a tenant means that one, whatever else a reviewer's app lets them see.
    const belongs = rule === 'claim-or-assigned' && own !== undefined
    if (belongs && named !== undefined && named !== own) throw notAssigned()
    // Where no run is in progress, a key stands for the tenants that it was made for.
    if (belongs || rule === 'claim' || (rule === 'run' && principal.type === 'agent'))
      return own === undefined || !reaches(principal, own) ? [] : [own]
    return reviewed(this.#db, principal, named)
  }

  async #statusOf(tenantId: string): Promise<string | undefined> {
    const known = this.#statuses.get(tenantId)
    if (known && known.until > this.#clock.now()) return known.status
    const status = await tenantStatus(this.#db.sql, tenantId)
    // One that is shut is asked for again each time: it is reinstated at once.
    if (status === undefined || isSuspended(status)) this.#statuses.delete(tenantId)
    else this.#statuses.set(tenantId, { status, until: this.#clock.now() + statusMs })
    return status
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
