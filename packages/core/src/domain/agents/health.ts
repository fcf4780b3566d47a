import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { type AdapterCheck, adapterFor } from './adapters/adapters.ts'
import { effectiveAgent, type EffectiveAgent } from './effective-queries.ts'
import type { AgentHealth } from './health-schemas.ts'

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
