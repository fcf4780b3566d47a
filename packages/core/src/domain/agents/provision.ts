import type { Command } from '../context.ts'
import { notFound } from '../errors.ts'
import { Tenant } from '../tenants/entities.ts'
import { MasterAgent, TenantAgent } from './entities.ts'

/**
 * Gives a tenant every master agent of its plan that it does not have; those that it has stay as they are.
 * @returns the roles that were added
 * @throws DomainError `NOT_FOUND` when there is no such tenant within the scope of the command
 */
export async function provisionAgents(cmd: Command, tenantId: string): Promise<string[]> {
  const visible = cmd.scope === 'all' || cmd.scope.includes(tenantId)
  const tenant = visible ? await cmd.em.findOne(Tenant, { id: tenantId }) : null
  if (!tenant) throw notFound('Tenant')
  const masters = await cmd.em.find(MasterAgent, {}, { orderBy: { role: 'asc' } })
  const present = new Set((await cmd.em.find(TenantAgent, { tenantId })).map(({ role }) => role))
  const now = cmd.clock.date()
  const added = masters.filter(
    ({ role, isAvailableOnPlans }) => isAvailableOnPlans.includes(tenant.plan) && !present.has(role),
  )
  for (const { role } of added) {
    cmd.em.create(TenantAgent, {
      id: cmd.newId(),
      tenantId,
      role,
      status: 'active',
      statusBefore: null,
      model: null,
      adapterType: null,
      adapterConfig: null,
      toolNames: null,
      skillIds: null,
      maxCostMicrosPerActivity: null,
      concurrency: null,
      lastErrorAt: null,
      lastErrorMessage: null,
      createdOn: now,
      updatedOn: now,
    })
  }
  return added.map(({ role }) => role)
}
