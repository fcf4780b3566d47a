import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { TenantAgent } from './entities.ts'
import { agentError } from './events.ts'

/**
 * Pauses the agents of a tenant that is suspended, and remembers what they were. Turns under way finish, none is started.
 * @returns how many were at the ready
 */
export async function pauseAgents(txn: Transaction, tenantId: string): Promise<number> {
  const working = (await lockAgents(txn, tenantId)).filter(
    ({ status, statusBefore }) => statusBefore === null && (status === 'active' || status === 'error'),
  )
  for (const agent of working) {
    agent.statusBefore = agent.status
    agent.status = 'paused'
    agent.updatedOn = txn.clock.date()
  }
  return working.length
}

/**
 * Gives the agents of a tenant that is reinstated the state back that they had; those that were paused before stay paused.
 * @returns how many are at the ready again
 */
export async function resumeAgents(txn: Transaction, tenantId: string): Promise<number> {
  let resumed = 0
  for (const agent of await lockAgents(txn, tenantId)) {
    if (agent.statusBefore === null) continue
    // Anyone who ended an agent meanwhile meant it.
    if (agent.status === 'paused') {
      agent.status = agent.statusBefore
      resumed += 1
    }
    agent.statusBefore = null
    agent.updatedOn = txn.clock.date()
  }
  if (resumed > 0) txn.signal('runs')
  return resumed
}

function lockAgents(txn: Transaction, tenantId: string) {
  return txn.em.find(
    TenantAgent,
    { tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
}

/**
 * Notes that an agent cannot work as it is set up, for example because its model refuses the key. It still takes runs, and
 * a paused one stays paused.
 */
export async function reportAgentError(
  txn: Transaction,
  tenantId: string,
  role: string,
  message: string,
  activityId?: string,
): Promise<void> {
  const agent = await txn.em.findOne(TenantAgent, { tenantId, role })
  if (!agent) return
  const now = txn.clock.date()
  if (agent.status === 'active') agent.status = 'error'
  agent.lastErrorAt = now
  agent.lastErrorMessage = message.slice(0, 2_000)
  agent.updatedOn = now
  txn.emit(agentError, {
    tenantId,
    subject: agent.id,
    data: { tenantId, agentRole: role, error: agent.lastErrorMessage, activityId: activityId ?? null },
  })
}
