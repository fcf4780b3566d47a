import { type InferEntity, LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { toMicros } from '../money.ts'
import { oneTenant } from '../scope.ts'
import { type EffectiveAgent, effectiveAgent } from './effective-queries.ts'
import { type AdapterConfig, TenantAgent } from './entities.ts'
import type { AgentChanges } from './schemas.ts'

/**
 * Notes that an agent cannot work as it is set up, for example because its model refuses the key. It still takes runs, and
 * a paused one stays paused.
 */
export async function reportAgentError(
  cmd: Command,
  tenantId: string,
  role: string,
  message: string,
  activityId?: string,
): Promise<void> {
  const agent = await cmd.em.findOne(TenantAgent, { tenantId, role })
  if (!agent) return
  const now = cmd.clock.date()
  if (agent.status === 'active') agent.status = 'error'
  agent.lastErrorAt = now
  agent.lastErrorMessage = message.slice(0, 2_000)
  agent.updatedOn = now
  cmd.emit({
    tenantId,
    type: 'agent_error',
    subject: agent.id,
    data: { tenantId, agentRole: role, error: agent.lastErrorMessage, activityId: activityId ?? null },
  })
}

/**
 * Sets how a role works for the tenant of the context; what is not named stays as it is. The secret of a webhook is sealed
 * for the tenant and never comes back. Serves `PATCH /dashboard/v1/agents/:agentRole`.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` for a webhook that lacks its URL or its secret
 */
export function configureAgent(ctx: Ctx, role: string, changes: AgentChanges): Promise<EffectiveAgent> {
  const tenantId = oneTenant(ctx)
  return command(ctx, async (cmd) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const agent = await cmd.em.findOne(TenantAgent, { tenantId, role }, { lockMode })
    const before = await effectiveAgent(cmd, tenantId, role)
    if (!agent || !before) throw notFound('Agent')
    const { model, maxCostUsdPerActivity, toolNames, concurrency, adapterType, adapterConfig } = changes
    agent.model = model ?? agent.model
    agent.toolNames = toolNames ? [...new Set(toolNames)] : agent.toolNames
    agent.concurrency = concurrency ?? agent.concurrency
    agent.adapterType = adapterType ?? agent.adapterType
    if (maxCostUsdPerActivity !== undefined) agent.maxCostMicrosPerActivity = toMicros(maxCostUsdPerActivity)
    if (adapterConfig) agent.adapterConfig = adapterOf(cmd, agent, adapterConfig)
    agent.updatedOn = cmd.clock.date()
    await cmd.em.flush()
    const after = (await effectiveAgent(cmd, tenantId, role)) as EffectiveAgent
    checkWebhook(after)
    cmd.audit({
      tenantId,
      resourceType: 'agent',
      resourceId: agent.id,
      before: withoutSecret(before),
      after: withoutSecret(after),
    })
    return after
  })
}

function adapterOf(
  cmd: Command,
  agent: InferEntity<typeof TenantAgent>,
  changes: NonNullable<AgentChanges['adapterConfig']>,
): Partial<AdapterConfig> {
  const { authValue, timeoutMs, ...plain } = changes
  const own = agent.adapterConfig ?? {}
  const moved = plain.webhookUrl !== undefined && originOf(plain.webhookUrl) !== originOf(own.webhookUrl)
  if (moved && own.authValueSealed !== undefined && authValue === undefined) {
    // Else whoever may set the URL could have the secret sent to a place of their own.
    throw invalid('adapterConfig.authValue', 'The URL names another host: give the secret for it as well')
  }
  const given = Object.entries(plain).filter(([, value]) => value !== undefined)
  return {
    ...own,
    ...Object.fromEntries(given),
    ...(timeoutMs !== undefined && { timeoutSec: Math.ceil(timeoutMs / 1_000) }),
    ...(authValue !== undefined && { authValueSealed: cmd.services.box.seal(authValue, agent.tenantId) }),
  }
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin
}

function checkWebhook({ adapterType, adapterConfig }: EffectiveAgent): void {
  const { webhookUrl, authHeader, authValueSealed } = adapterConfig
  if (adapterType === 'adapter_b' && !webhookUrl) {
    throw new DomainError(
      'VALIDATION_ERROR',
      'An external runtime needs the URL that its work is posted to',
      {
        field: 'adapterConfig.webhookUrl',
      },
    )
  }
  if ((authHeader === undefined) === (authValueSealed === undefined)) return
  const missing = authHeader === undefined ? 'authHeader' : 'authValue'
  throw invalid(`adapterConfig.${missing}`, 'A header and its value belong together')
}

function withoutSecret({ adapterConfig, ...agent }: EffectiveAgent) {
  const { authValueSealed, ...rest } = adapterConfig
  return { ...agent, adapterConfig: { ...rest, hasAuthValue: authValueSealed !== undefined } }
}
