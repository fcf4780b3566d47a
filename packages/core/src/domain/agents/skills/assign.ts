import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { saveDefaultAgent } from '../configuration/default-agent-config.ts'
import { DefaultAgent, TenantAgent } from '../configuration/entities.ts'
import { masterSettings } from '../configuration/settings.ts'
import { maxTogether } from './entities.ts'
import { skillSizes } from './queries.ts'

/**
 * Gives a skill to the agents of these roles, and takes it from all others. The rows of the agents are locked in one order.
 * @param tenantId whose agents; null for the masters
 * @param roles `['all']` stands for all of them
 * @returns the roles that have it now
 * @throws DomainError `VALIDATION_ERROR` on `agentRoles` for a role that there is not; `UNPROCESSABLE` when an agent would
 *   have too much to read
 */
export async function assignSkill(
  txn: Transaction,
  tenantId: string | null,
  skillId: string,
  roles: readonly string[],
): Promise<string[]> {
  const agents = tenantId === null ? await masters(txn) : await ownAgents(txn, tenantId)
  const known = agents.map(({ role }) => role)
  const unknown = roles.find((role) => role !== 'all' && !known.includes(role))
  if (unknown !== undefined)
    throw invalid('agentRoles', `There is no agent ${unknown}; there are ${known.join(', ')}, or all`)
  const wanted = new Set(roles.includes('all') ? known : roles)
  for (const agent of agents) {
    const had = agent.skillIds()
    const has = had.includes(skillId)
    if (has === wanted.has(agent.role)) continue
    await agent.set(has ? had.filter((id) => id !== skillId) : [...had, skillId])
  }
  return known.filter((role) => wanted.has(role))
}

/**
 * Refuses what would make an agent's skills too much to read.
 * @throws DomainError `UNPROCESSABLE` with the role
 */
export async function checkWeight(txn: Transaction, tenantId: string | null, skillId: string): Promise<void> {
  await txn.em.flush()
  const agents = tenantId === null ? await masters(txn) : await ownAgents(txn, tenantId)
  const holders = agents.filter((agent) => agent.skillIds().includes(skillId))
  const sizes = await skillSizes(txn, tenantId, [...new Set(holders.flatMap((agent) => agent.skillIds()))])
  for (const agent of holders) {
    const together = agent.skillIds().reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0)
    if (together <= maxTogether) continue
    throw new DomainError(
      'UNPROCESSABLE',
      `The skills of ${agent.role} would be larger than 4 MiB together`,
      {
        details: { agentRole: agent.role, sizeBytes: together },
      },
    )
  }
}

/** Takes a skill of the installation from tenants that have chosen it themselves; no one is told. */
export async function withdrawFromTenants(txn: Transaction, skillId: string): Promise<void> {
  const choosers = await txn.em.find(
    TenantAgent,
    { skillIds: { $ne: null } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  for (const agent of choosers)
    if (agent.skillIds?.includes(skillId)) agent.skillIds = agent.skillIds.filter((id) => id !== skillId)
}

/** An agent that can have skills. */
interface Holder {
  role: string
  skillIds(): string[]
  set(ids: string[]): Promise<void> | void
}

async function masters(txn: Transaction): Promise<Holder[]> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const all = await txn.em.find(DefaultAgent, {}, { orderBy: { role: 'asc' }, lockMode })
  return all.map((master) => ({
    role: master.role,
    skillIds: () => master.defaultSkillIds,
    set: (ids) => {
      const [before, since] = [masterSettings(master), master.updatedOn]
      master.defaultSkillIds = ids
      return saveDefaultAgent(txn, master, { before, since })
    },
  }))
}

async function ownAgents(txn: Transaction, tenantId: string): Promise<Holder[]> {
  const all = await txn.em.find(
    TenantAgent,
    { tenantId, status: { $ne: 'terminated' } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  return all.map((agent) => ({
    role: agent.role,
    skillIds: () => agent.ownSkillIds ?? [],
    set: (ids) => {
      agent.ownSkillIds = ids.length === 0 ? null : ids
    },
  }))
}
