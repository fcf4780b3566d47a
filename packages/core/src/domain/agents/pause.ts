import { LockMode } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { TenantAgent } from './entities.ts'

/**
 * Pauses the agents of a tenant that is suspended, and remembers what they were. Turns under way finish, none is started.
 * @returns how many were at the ready
 */
export async function pauseAgents(cmd: Command, tenantId: string): Promise<number> {
  const working = (await lockAgents(cmd, tenantId)).filter(
    ({ status, statusBefore }) => statusBefore === null && (status === 'active' || status === 'error'),
  )
  for (const agent of working) {
    agent.statusBefore = agent.status
    agent.status = 'paused'
    agent.updatedOn = cmd.clock.date()
  }
  return working.length
}

/**
 * Gives the agents of a tenant that is reinstated the state back that they had; those that were paused before stay paused.
 * @returns how many are at the ready again
 */
export async function resumeAgents(cmd: Command, tenantId: string): Promise<number> {
  let resumed = 0
  for (const agent of await lockAgents(cmd, tenantId)) {
    if (agent.statusBefore === null) continue
    // Whoever ended an agent meanwhile meant it.
    if (agent.status === 'paused') {
      agent.status = agent.statusBefore
      resumed += 1
    }
    agent.statusBefore = null
    agent.updatedOn = cmd.clock.date()
  }
  if (resumed > 0) cmd.signal('runs')
  return resumed
}

function lockAgents(cmd: Command, tenantId: string) {
  return cmd.em.find(
    TenantAgent,
    { tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
}
