import { provisionAgents } from '../agents/provision.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, invalid } from '../errors.ts'
import { Tenant } from './entities.ts'

export const planNames = ['free', 'starter', 'pro', 'agency', 'enterprise'] as const

export interface NewTenant {
  name: string
  /** Default `pro`. */
  plan?: string
  /** IANA zone; default `UTC`. */
  timezone?: string
  domain?: string
}

export interface TenantSummary {
  id: string
  name: string
  domain: string | null
  plan: string
  status: string
  timezone: string
  createdOn: Date
}

/**
 * Creates an active tenant with the agents of its plan.
 * @throws DomainError `VALIDATION_ERROR`; `CONFLICT` when the domain is taken
 */
export function createTenant(ctx: Ctx, input: NewTenant): Promise<TenantSummary> {
  const name = input.name.trim()
  if (name === '' || name.length > 200) throw invalid('name', 'A name has 1 to 200 characters')
  const { plan = 'pro', timezone = 'UTC', domain = null } = input
  if (!(planNames as readonly string[]).includes(plan))
    throw invalid('plan', `Choose one of: ${planNames.join(', ')}`)
  if (!isTimeZone(timezone))
    throw invalid('timezone', `${timezone} is no IANA time zone, such as Europe/Berlin`)
  return command(ctx, async (cmd) => {
    if (domain && (await cmd.em.findOne(Tenant, { domain })))
      throw new DomainError('CONFLICT', `The domain ${domain} is taken`, { field: 'domain' })
    const now = cmd.clock.date()
    const tenant = cmd.em.create(Tenant, {
      id: cmd.newId(),
      name,
      domain,
      plan,
      status: 'active',
      timezone,
      spendCapMicros: null,
      featureFlags: {},
      createdOn: now,
      updatedOn: now,
    })
    await cmd.em.flush()
    await provisionAgents(cmd, tenant.id)
    cmd.audit({
      tenantId: tenant.id,
      resourceType: 'tenant',
      resourceId: tenant.id,
      after: { name, plan, timezone },
      action: 'tenant.created',
    })
    return toSummary(tenant)
  })
}

/** All tenants in scope, in the order of their creation. */
export function listTenants(ctx: Ctx): Promise<TenantSummary[]> {
  return command(ctx, async (cmd) => {
    const where = cmd.scope === 'all' ? {} : { id: { $in: [...cmd.scope] } }
    return (await cmd.em.find(Tenant, where, { orderBy: { id: 'asc' } })).map(toSummary)
  })
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function toSummary({ id, name, domain, plan, status, timezone, createdOn }: TenantSummary): TenantSummary {
  return { id, name, domain, plan, status, timezone, createdOn }
}
