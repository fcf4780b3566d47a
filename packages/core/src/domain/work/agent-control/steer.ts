import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { TenantAgent } from '../../agents/configuration/entities.ts'
import type { AgentRow } from '../../agents/configuration/settings.ts'
import { agentState } from './review-queries.ts'
import type { ReviewerAgentState } from './schemas.ts'

/**
 * Holds the work of one agent of a tenant back: turns under way end, none begins, over restarts too. Serves
 * `POST /dm/v1/agents/:tenantId/:agentRole/pause`.
 * @throws DomainError `FORBIDDEN` for a tenant outside the scope; `NOT_FOUND`; `UNPROCESSABLE` when it is paused already, or
 *   enabled no more
 */
export function pauseAgent(
  ctx: Ctx,
  tenantId: string,
  role: string,
  { reason }: { reason?: string | undefined } = {},
): Promise<ReviewerAgentState> {
  return change(ctx, tenantId, role, reason, (_, agent) => {
    if (agent.status === 'paused') throw refusal('The agent is paused already')
    agent.status = 'paused'
  })
}

/**
 * Lets an agent go on with what was held back. Serves `POST /dm/v1/agents/:tenantId/:agentRole/resume`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is not paused, or only because its tenant is suspended
 */
export function resumeAgent(ctx: Ctx, tenantId: string, role: string): Promise<ReviewerAgentState> {
  return change(ctx, tenantId, role, undefined, (txn, agent) => {
    if (agent.status !== 'paused') throw refusal('The agent is not paused')
    if (agent.statusBefore !== null) throw refusal('The agent goes on when its tenant is reinstated')
    agent.status = 'active'
    txn.signal('runs')
  })
}

/**
 * Says that what an agent failed of is fixed: it is at the ready again; a paused one stays paused. Serves
 * `POST /dm/v1/agents/:tenantId/:agentRole/clear-error`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when there is no error
 */
export function clearAgentError(
  ctx: Ctx,
  tenantId: string,
  role: string,
  { note }: { note?: string | undefined } = {},
): Promise<ReviewerAgentState> {
  return change(ctx, tenantId, role, note, (_, agent) => {
    if (agent.status !== 'error' && agent.lastErrorAt === null) throw refusal('The agent has no error')
    if (agent.status === 'error') agent.status = 'active'
    // Suspension remembers what it was.
    if (agent.statusBefore === 'error') agent.statusBefore = 'active'
    agent.lastErrorAt = null
    agent.lastErrorMessage = null
  })
}

async function change(
  ctx: Ctx,
  tenantId: string,
  role: string,
  words: string | undefined,
  act: (txn: Transaction, agent: AgentRow) => void,
): Promise<ReviewerAgentState> {
  const own = narrowed(ctx, tenantId)
  await transact(own, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const agent = await txn.em.findOne(TenantAgent, { tenantId, role }, { lockMode })
    if (!agent) throw notFound('agent', { by: 'role' })
    if (agent.status === 'terminated') throw refusal('The agent is enabled no more')
    const before = stateOf(agent)
    act(txn, agent)
    agent.updatedOn = txn.clock.date()
    const after = { ...stateOf(agent), ...(words !== undefined && { words }) }
    txn.audit({ tenantId, resourceType: 'agent', resourceId: agent.id, before, after })
  })
  return agentState(own, tenantId, role)
}

const stateOf = ({ status, lastErrorMessage }: AgentRow) => ({ status, lastErrorMessage })

const refusal = (message: string) => new DomainError('UNPROCESSABLE', message)
