import type { Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { isSuspended, Tenant, type TenantStatus } from '../../accounts/tenants/entities.ts'
import { Skill } from '../skills/entities.ts'
import { DefaultAgent, TenantAgent } from './entities.ts'

/**
 * Gives a tenant every master agent of its plan that it does not have; those that it has stay as they are.
 * @returns the roles that were added
 * @throws DomainError `NOT_FOUND` when there is no such tenant within the scope of the command
 */
export async function provisionAgents(txn: Transaction, tenantId: string): Promise<string[]> {
  const visible = txn.scope === 'all' || txn.scope.includes(tenantId)
  const tenant = visible ? await txn.em.findOne(Tenant, { id: tenantId }) : null
  if (!tenant) throw notFound('tenant')
  const masters = await txn.em.find(DefaultAgent, {}, { orderBy: { role: 'asc' } })
  const present = new Set((await txn.em.find(TenantAgent, { tenantId })).map(({ role }) => role))
  const added = masters.filter(
    ({ role, isAvailableOnPlans }) => isAvailableOnPlans.includes(tenant.plan) && !present.has(role),
  )
  const own = await skillsForAll(txn, tenantId)
  for (const { role } of added) addAgent(txn, tenant, role, own)
  return added.map(({ role }) => role)
}

/** The tenant's own skills that agents which come later get as well. */
export async function skillsForAll(txn: Transaction, tenantId: string): Promise<string[]> {
  const found = await txn.em.find(Skill, { tenantId, forAllRoles: true }, { fields: ['id'] })
  return found.map(({ id }) => id).toSorted()
}

/** Gives a tenant an agent that it does not have, as its master is; where the tenant is suspended it waits with the others. */
export function addAgent(
  txn: Transaction,
  tenant: { id: string; status: TenantStatus },
  role: string,
  ownSkillIds: readonly string[],
): void {
  const now = txn.clock.date()
  const waits = isSuspended(tenant.status)
  txn.em.create(TenantAgent, {
    id: txn.newId(),
    tenantId: tenant.id,
    role,
    status: waits ? 'paused' : 'active',
    statusBefore: waits ? 'active' : null,
    model: null,
    adapterType: null,
    adapterConfig: null,
    toolNames: null,
    skillIds: null,
    ownSkillIds: ownSkillIds.length === 0 ? null : [...ownSkillIds],
    maxCostMicrosPerActivity: null,
    concurrency: null,
    lastErrorAt: null,
    lastErrorMessage: null,
    createdOn: now,
    updatedOn: now,
  })
}
