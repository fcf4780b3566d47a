import { provisionAgents } from '../agents/provision.ts'
import { check } from '../check.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid } from '../errors.ts'
import { plainName } from '../names.ts'
import { planNames } from './billing-entities.ts'
import { Tenant, type TenantStatus } from './entities.ts'

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
export async function createTenant(ctx: Ctx, input: NewTenant): Promise<TenantSummary> {
  const name = check(plainName(200), input.name, 'name')
  const { plan = 'pro', timezone = 'UTC', domain = null } = input
  if (!(planNames as readonly string[]).includes(plan))
    throw invalid('plan', `Choose one of: ${planNames.join(', ')}`)
  if (!isTimeZone(timezone))
    throw invalid('timezone', `${timezone} is no IANA time zone, such as Europe/Berlin`)
  return command(ctx, async (cmd) => {
    if (domain && (await cmd.em.findOne(Tenant, { domain })))
      throw new DomainError('CONFLICT', `The domain ${domain} is taken`, { field: 'domain' })
    return toSummary(await openTenant(cmd, { name, plan, timezone, domain, status: 'active' }))
  })
}

export interface OpenTenant {
  /** Default: a new one. */
  id?: string
  name: string
  plan: string
  timezone: string
  domain: string | null
  status: TenantStatus
  /** Monthly cap on what its agents may spend; default none. */
  spendCapMicros?: number | null
  /** It makes itself by registration: its runs wait for the proof of its admin's mailbox. Default false. */
  registered?: boolean
}

/** Creates a tenant with the agents of its plan, as part of a larger act. Its values have been checked. */
export async function openTenant(cmd: Command, input: OpenTenant) {
  const {
    id = cmd.newId(),
    name,
    plan,
    timezone,
    domain,
    status,
    spendCapMicros = null,
    registered = false,
  } = input
  const now = cmd.clock.date()
  const tenant = cmd.em.create(Tenant, {
    id,
    name,
    domain,
    plan,
    status,
    timezone,
    spendCapMicros,
    featureFlags: {},
    registered,
    awaitsProof: registered,
    createdOn: now,
    updatedOn: now,
  })
  await cmd.em.flush()
  await provisionAgents(cmd, tenant.id)
  cmd.audit({
    tenantId: tenant.id,
    resourceType: 'tenant',
    resourceId: tenant.id,
    after: { name, plan, timezone, status },
    action: 'tenant.created',
  })
  return tenant
}

/** True for the name of an IANA zone; an offset such as `+01:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function toSummary({ id, name, domain, plan, status, timezone, createdOn }: TenantSummary): TenantSummary {
  return { id, name, domain, plan, status, timezone, createdOn }
}
