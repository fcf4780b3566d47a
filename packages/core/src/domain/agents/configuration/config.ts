import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toMicros } from '../../../kernel/money.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { getVersion, listVersions } from '../../../kernel/versions/queries.ts'
import { saveVersion, versionData } from '../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../kernel/versions/schemas.ts'
import { skillSizes } from '../skills/queries.ts'
import {
  adapterBack,
  adapterOf,
  checkAgentCommand,
  checkAgentWebhook,
  withoutSecret,
} from './adapter-settings.ts'
import { outdated } from './default-agent-config.ts'
import { type EffectiveAgent, effectiveAgent } from './effective-queries.ts'
import { TenantAgent } from './entities.ts'
import { getAgent } from './list-queries.ts'
import type { AgentChanges, AgentDetail } from './schemas.ts'
import {
  type AgentRow,
  agentVersions,
  checkedSkillIds,
  checkFallbacks,
  checkModel,
  checkPlaceholders,
  type OwnSettings,
  ownSettings,
} from './settings.ts'

/**
 * Sets how a role works for the tenant of the context; what is not named stays as it is. The secret of a webhook is sealed
 * for the tenant and never comes back.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` for a model, a skill or a placeholder
 *   that is not there, for a webhook that lacks its URL or its secret, and for a command that this installation does not have
 */
export function configureAgent(ctx: Ctx, role: string, changes: AgentChanges): Promise<EffectiveAgent> {
  return transact(ctx, async (txn) => {
    const { agent, before } = await lockAgent(txn, role)
    const was = { own: ownSettings(agent), since: agent.updatedOn, effective: before }
    const { model, maxCostUsdPerActivity, toolNames, skillIds, concurrency, adapterType, adapterConfig } =
      changes
    // What a program calls its models is its own affair.
    const isFree = (adapterType ?? before.adapterType) === 'adapter_a'
    if (model !== undefined && !isFree) checkModel(txn, model, 'model', before.model)
    checkFallbacks(txn, adapterConfig?.fallbackModels, before.adapterConfig.fallbackModels)
    if (adapterConfig?.promptTemplate !== undefined)
      checkPlaceholders(adapterConfig.promptTemplate, 'adapterConfig.promptTemplate')
    agent.model = model ?? agent.model
    agent.toolNames = toolNames ? [...new Set(toolNames)] : agent.toolNames
    agent.skillIds = skillIds ? await checkedSkillIds(txn, skillIds, 'skillIds') : agent.skillIds
    agent.concurrency = concurrency ?? agent.concurrency
    agent.adapterType = adapterType ?? agent.adapterType
    if (maxCostUsdPerActivity !== undefined) agent.maxCostMicrosPerActivity = toMicros(maxCostUsdPerActivity)
    if (adapterConfig) agent.adapterConfig = adapterOf(txn, agent, adapterConfig)
    return keepAgent(txn, agent, was)
  })
}

/**
 * Puts back what the tenant had set itself in a version, as a new version. The secret of a webhook is in no version: the
 * present one stays, as long as it goes to the same host. Skills that are gone meanwhile stay gone.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when something that it names is not there any more, or the secret is
 *   not meant for its host
 */
function restoreConfig(ctx: Ctx, role: string, version: number): Promise<EffectiveAgent> {
  return transact(ctx, async (txn) => {
    const { agent, before } = await lockAgent(txn, role)
    const was = { own: ownSettings(agent), since: agent.updatedOn, effective: before }
    const data = (await versionData(txn, agentVersions(agent), version)) as OwnSettings
    const most = data.maxCostUsdPerActivity
    const known = await skillSizes(txn, null, data.skillIds ?? [])
    try {
      if (data.model !== null && data.adapterType !== 'adapter_a')
        checkModel(txn, data.model, 'model', before.model)
      agent.adapterConfig = data.adapterConfig && adapterBack(agent, data.adapterConfig)
      agent.model = data.model
      agent.adapterType = data.adapterType
      agent.toolNames = data.toolNames
      agent.skillIds = data.skillIds && data.skillIds.filter((id) => known.has(id))
      agent.concurrency = data.concurrency
      agent.maxCostMicrosPerActivity = most === null ? null : toMicros(most)
      return await keepAgent(txn, agent, was, `Version ${version} put back`)
    } catch (error) {
      return outdated(error)
    }
  })
}

/**
 * Sets how a role works for the tenant of the context. Serves `PATCH /dashboard/v1/agents/:agentRole`.
 * @throws DomainError as `configureAgent`
 */
export async function changeAgent(ctx: Ctx, role: string, changes: AgentChanges): Promise<AgentDetail> {
  await configureAgent(ctx, role, changes)
  return getAgent(ctx, role)
}

/** Puts back what the tenant had set itself in a version. @throws DomainError as `restoreConfig` */
export async function restoreAgent(ctx: Ctx, role: string, version: number): Promise<AgentDetail> {
  await restoreConfig(ctx, role, version)
  return getAgent(ctx, role)
}

/** @throws DomainError `NOT_FOUND` for a role that the tenant does not have */
export async function agentHistory(ctx: Ctx, role: string, query?: Partial<VersionListQuery>) {
  return listVersions(ctx, await subjectOf(ctx, role), query)
}

/** @throws DomainError `NOT_FOUND` */
export async function agentVersion(ctx: Ctx, role: string, version: number, query?: VersionQuery) {
  return getVersion(ctx, await subjectOf(ctx, role), version, query)
}

/** The tenant's agent of a role, locked, and how it works now. @throws DomainError `NOT_FOUND` */
async function lockAgent(
  txn: Transaction,
  role: string,
): Promise<{ agent: AgentRow; before: EffectiveAgent }> {
  const tenantId = oneTenant(txn)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const agent = await txn.em.findOne(TenantAgent, { tenantId, role }, { lockMode })
  const before = await effectiveAgent(txn, tenantId, role)
  if (!agent || !before) throw notFound('agent', { by: 'role' })
  return { agent, before }
}

interface Was {
  own: OwnSettings
  since: Date
  effective: EffectiveAgent
}

/** Checks what was changed about an agent that is locked, and keeps it as a version and in the audit. */
async function keepAgent(
  txn: Transaction,
  agent: AgentRow,
  was: Was,
  note?: string,
): Promise<EffectiveAgent> {
  const { tenantId, role } = agent
  agent.updatedOn = txn.clock.date()
  await txn.em.flush()
  const after = (await effectiveAgent(txn, tenantId, role)) as EffectiveAgent
  checkAgentWebhook(after)
  checkAgentCommand(txn, after, tenantId)
  const version = await saveVersion(txn, {
    ...agentVersions(agent),
    before: { data: was.own, since: was.since },
    after: ownSettings(agent),
    ...(note !== undefined && { note }),
  })
  txn.audit({
    tenantId,
    resourceType: 'agent',
    resourceId: agent.id,
    before: withoutSecret(was.effective),
    after: { ...withoutSecret(after), version },
  })
  return after
}

async function subjectOf(ctx: Ctx, role: string) {
  const { id } = await getAgent(ctx, role)
  return agentVersions({ id, tenantId: oneTenant(ctx) })
}
