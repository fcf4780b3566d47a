import { check } from '../../../kernel/check.ts'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { plainName } from '../../../kernel/names.ts'
import { transact } from '../../../kernel/transact.ts'
import { planNames } from '../billing/plans/entities.ts'
import { Tenant, type TenantStatus } from './entities.ts'

export interface NewTenant {
  name: string
  /** Default `pro`. */
  plan?: string
  /** IANA zone; default `UTC`. */
  timezone?: string
  domain?: string
}

export interface CreatedTenant {
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
export async function createTenant(ctx: Ctx, input: NewTenant): Promise<CreatedTenant> {
  const name = check(plainName(200), input.name, 'name')
  const { plan = 'pro', timezone = 'UTC', domain = null } = input
  if (!(planNames as readonly string[]).includes(plan))
    throw invalid('plan', `Choose one of: ${planNames.join(', ')}`)
  if (!isTimeZone(timezone))
    throw invalid('timezone', `${timezone} is no IANA time zone, such as Europe/Berlin`)
  return transact(ctx, async (txn) => {
    if (domain && (await txn.em.findOne(Tenant, { domain })))
      throw new DomainError('CONFLICT', `The domain ${domain} is taken`, { field: 'domain' })
    return toSummary(await openTenant(txn, { name, plan, timezone, domain, status: 'active' }))
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
export async function openTenant(txn: Transaction, input: OpenTenant) {
  const {
    id = txn.newId(),
    name,
    plan,
    timezone,
    domain,
    status,
    spendCapMicros = null,
    registered = false,
  } = input
  const now = txn.clock.date()
  const tenant = txn.em.create(Tenant, {
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
  await txn.em.flush()
  await txn.services.tenantAgents.provision(txn, tenant.id)
  txn.services.tenantDatasets.provision(txn, tenant.id)
  txn.audit({
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

function toSummary({ id, name, domain, plan, status, timezone, createdOn }: CreatedTenant): CreatedTenant {
  return { id, name, domain, plan, status, timezone, createdOn }
}
