import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { type EffectiveAgent, effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import type { AgentCheck } from '../../agents/configuration/schemas.ts'
import { type AdapterCheck, adapterFor } from '../runs/adapters/adapters.ts'
import type { AgentHealth } from './schemas.ts'

/**
 * Looks whether work could be given to a role of the tenant now, from the server that is asked. Changes nothing and
 * spends no tokens. Serves `GET /agent/v1/health/:agentRole`.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` when the caller could mean several tenants
 */
export async function agentHealth(ctx: Ctx, role: string): Promise<AgentHealth> {
  const agent = await effectiveAgent(ctx, oneTenant(ctx), role)
  if (!agent) throw notFound('agent', { by: 'role' })
  const checks = await checksOf(ctx, agent)
  const faults = checks.filter(({ ok }) => !ok)
  return {
    agentRole: role,
    adapterType: agent.adapterType,
    ok: faults.length === 0,
    message:
      faults.length === 0
        ? `${agent.name} is ready to work`
        : `${agent.name} cannot work: ${faults.map(({ name, detail }) => detail ?? name).join('; ')}`,
    checks,
    checkedAt: ctx.clock.date(),
  }
}

async function checksOf(ctx: Ctx, agent: EffectiveAgent): Promise<AdapterCheck[]> {
  try {
    return await adapterFor(agent.adapterType).check(ctx, agent)
  } catch (error) {
    ctx.log.error('an agent could not be checked', { role: agent.role, error })
    return [
      { name: 'adapter', ok: false, detail: 'The check broke off; the log of the server has the details' },
    ]
  }
}

/**
 * Asks whether work could be given to an agent now; no token is spent. Serves `POST /dashboard/v1/agents/:agentRole/test`.
 * @throws DomainError `NOT_FOUND`
 */
export async function testAgent(ctx: Ctx, role: string): Promise<AgentCheck> {
  const { ok, message, checks } = await agentHealth(ctx, role)
  return { ok, message, checks }
}
