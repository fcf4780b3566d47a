import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { toMicros } from '../money.ts'
import { oneTenant } from '../scope.ts'
import { skillSizes } from '../skills/queries.ts'
import { keepVersion, versionData } from '../versions/keep.ts'
import { type EffectiveAgent, effectiveAgent } from './effective-queries.ts'
import { type AdapterConfig, TenantAgent } from './entities.ts'
import { outdated } from './master-config.ts'
import { checkPlaceholders } from './placeholders.ts'
import type { AgentChanges } from './schemas.ts'
import {
  type AgentRow,
  agentVersions,
  checkedSkillIds,
  checkFallbacks,
  checkModel,
  merged,
  type OwnSettings,
  ownSettings,
} from './settings.ts'

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
 * for the tenant and never comes back.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` for a model, a skill or a placeholder
 *   that is not there, for a webhook that lacks its URL or its secret, and for a command that this installation does not have
 */
export function configureAgent(ctx: Ctx, role: string, changes: AgentChanges): Promise<EffectiveAgent> {
  return command(ctx, async (cmd) => {
    const { agent, before } = await lockAgent(cmd, role)
    const was = { own: ownSettings(agent), since: agent.updatedOn, effective: before }
    const { model, maxCostUsdPerActivity, toolNames, skillIds, concurrency, adapterType, adapterConfig } =
      changes
    // What a program calls its models is its own affair.
    const isFree = (adapterType ?? before.adapterType) === 'adapter_a'
    if (model !== undefined && !isFree) checkModel(cmd, model, 'model', before.model)
    checkFallbacks(cmd, adapterConfig?.fallbackModels, before.adapterConfig.fallbackModels)
    if (adapterConfig?.promptTemplate !== undefined)
      checkPlaceholders(adapterConfig.promptTemplate, 'adapterConfig.promptTemplate')
    agent.model = model ?? agent.model
    agent.toolNames = toolNames ? [...new Set(toolNames)] : agent.toolNames
    agent.skillIds = skillIds ? await checkedSkillIds(cmd, skillIds, 'skillIds') : agent.skillIds
    agent.concurrency = concurrency ?? agent.concurrency
    agent.adapterType = adapterType ?? agent.adapterType
    if (maxCostUsdPerActivity !== undefined) agent.maxCostMicrosPerActivity = toMicros(maxCostUsdPerActivity)
    if (adapterConfig) agent.adapterConfig = adapterOf(cmd, agent, adapterConfig)
    return keepAgent(cmd, agent, was)
  })
}

/**
 * Puts back what the tenant had set itself in a version, as a new version. The secret of a webhook is in no version: the
 * present one stays, as long as it goes to the same host. Skills that are gone meanwhile stay gone.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when something that it names is not there any more, or the secret is
 *   not meant for its host
 */
export function restoreConfig(ctx: Ctx, role: string, version: number): Promise<EffectiveAgent> {
  return command(ctx, async (cmd) => {
    const { agent, before } = await lockAgent(cmd, role)
    const was = { own: ownSettings(agent), since: agent.updatedOn, effective: before }
    const data = (await versionData(cmd, agentVersions(agent), version)) as OwnSettings
    const most = data.maxCostUsdPerActivity
    const known = await skillSizes(cmd, null, data.skillIds ?? [])
    try {
      if (data.model !== null && data.adapterType !== 'adapter_a')
        checkModel(cmd, data.model, 'model', before.model)
      agent.adapterConfig = data.adapterConfig && adapterBack(agent, data.adapterConfig)
      agent.model = data.model
      agent.adapterType = data.adapterType
      agent.toolNames = data.toolNames
      agent.skillIds = data.skillIds && data.skillIds.filter((id) => known.has(id))
      agent.concurrency = data.concurrency
      agent.maxCostMicrosPerActivity = most === null ? null : toMicros(most)
      return await keepAgent(cmd, agent, was, `Version ${version} put back`)
    } catch (error) {
      return outdated(error)
    }
  })
}

/** The tenant's agent of a role, locked, and how it works now. @throws DomainError `NOT_FOUND` */
async function lockAgent(cmd: Command, role: string): Promise<{ agent: AgentRow; before: EffectiveAgent }> {
  const tenantId = oneTenant(cmd)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const agent = await cmd.em.findOne(TenantAgent, { tenantId, role }, { lockMode })
  const before = await effectiveAgent(cmd, tenantId, role)
  if (!agent || !before) throw notFound('agent', { by: 'role' })
  return { agent, before }
}

interface Was {
  own: OwnSettings
  since: Date
  effective: EffectiveAgent
}

/** Checks what was changed about an agent that is locked, and keeps it as a version and in the audit. */
async function keepAgent(cmd: Command, agent: AgentRow, was: Was, note?: string): Promise<EffectiveAgent> {
  const { tenantId, role } = agent
  agent.updatedOn = cmd.clock.date()
  await cmd.em.flush()
  const after = (await effectiveAgent(cmd, tenantId, role)) as EffectiveAgent
  checkWebhook(after)
  checkCommand(cmd, after, tenantId)
  const version = await keepVersion(cmd, {
    ...agentVersions(agent),
    before: { data: was.own, since: was.since },
    after: ownSettings(agent),
    ...(note !== undefined && { note }),
  })
  cmd.audit({
    tenantId,
    resourceType: 'agent',
    resourceId: agent.id,
    before: withoutSecret(was.effective),
    after: { ...withoutSecret(after), version },
  })
  return after
}

/** The settings of a version with the secret of the present. */
function adapterBack(
  agent: AgentRow,
  { authValue, ...settings }: NonNullable<OwnSettings['adapterConfig']>,
): Partial<AdapterConfig> {
  const { webhookUrl, authValueSealed } = agent.adapterConfig ?? {}
  if (authValue === undefined) return settings
  if (authValueSealed === undefined || originOf(settings.webhookUrl) !== originOf(webhookUrl))
    throw invalid('adapterConfig.authValue', 'Its webhook needs a secret, which is kept in no version')
  return { ...settings, authValueSealed }
}

function adapterOf(
  cmd: Command,
  agent: AgentRow,
  changes: NonNullable<AgentChanges['adapterConfig']>,
): Partial<AdapterConfig> {
  const { authValue, timeoutMs, ...plain } = changes
  const own = agent.adapterConfig ?? {}
  const moved = plain.webhookUrl !== undefined && originOf(plain.webhookUrl) !== originOf(own.webhookUrl)
  if (moved && own.authValueSealed !== undefined && authValue === undefined) {
    // Else whoever may set the URL could have the secret sent to a place of their own.
    throw invalid('adapterConfig.authValue', 'The URL names another host: give the secret for it as well')
  }
  return {
    ...merged(own, plain),
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

function checkCommand(cmd: Command, { adapterType, adapterConfig }: EffectiveAgent, tenantId: string): void {
  if (adapterType !== 'adapter_a') return
  const problem = cmd.services.commands.problemWith(adapterConfig.command, tenantId)
  if (problem !== undefined) throw invalid('adapterConfig.command', problem)
}

function withoutSecret({ adapterConfig, ...agent }: EffectiveAgent) {
  const { authValueSealed, ...rest } = adapterConfig
  return { ...agent, adapterConfig: { ...rest, hasAuthValue: authValueSealed !== undefined } }
}
