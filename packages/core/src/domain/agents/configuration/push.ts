import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { saveVersion } from '../../../kernel/versions/save.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { lockMaster } from './default-agent-config.ts'
import type { AgentConfigPush, PushField, PushReceipt } from './default-agent-schemas.ts'
import { TenantAgent } from './entities.ts'
import { addAgent, skillsForAll } from './provision.ts'
import { type AgentRow, agentVersions, customFields, type MasterRow, ownSettings } from './settings.ts'

const adapterFields = [
  'promptTemplate',
  'timeoutSec',
  'graceSec',
  'maxTurnsPerRun',
  'fallbackModels',
] as const

/** The field of a tenant's agent that lies over a field of the master. */
const overlaid: Partial<Record<PushField, keyof AgentRow & string>> = {
  defaultModel: 'model',
  defaultTools: 'toolNames',
  defaultSkillIds: 'skillIds',
  maxCostUsdPerActivity: 'maxCostMicrosPerActivity',
  defaultConcurrency: 'concurrency',
}

/**
 * Brings fields of a master to tenants. A tenant that has set none of them inherits them already, and counts as pushed; one
 * that has keeps its own and counts as skipped, or loses it with `overrideCustom`. New tenants inherit everything, so for
 * them nothing is to be done. `isAvailableOnPlans` gives the agent to tenants of these plans that do not have it; it is
 * taken away from no one. Serves `POST /admin/v1/agent-configs/:agentRole/push`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for a tenant that there is not
 */
export function pushDefaultAgent(ctx: Ctx, role: string, push: AgentConfigPush): Promise<PushReceipt> {
  const { scope, tenantIds, overrideCustom } = push
  const fields = new Set(
    push.fields.flatMap((field): PushField[] =>
      field === 'adapterConfig' ? adapterFields.map((name): PushField => `adapterConfig.${name}`) : [field],
    ),
  )
  return transact(ctx, async (txn) => {
    const master = await lockMaster(txn, role)
    const receipt = { pushed: 0, skipped: 0 }
    if (scope !== 'new_tenants_only') {
      await checkTenants(txn, tenantIds)
      if (fields.has('isAvailableOnPlans')) await giveTo(txn, master, tenantIds)
      const agents = await txn.em.find(
        TenantAgent,
        { role, status: { $ne: 'terminated' }, ...(tenantIds && { tenantId: { $in: tenantIds } }) },
        { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
      )
      for (const agent of agents) {
        const custom = customAmong(agent, fields)
        if (custom && !overrideCustom) receipt.skipped += 1
        else receipt.pushed += 1
        if (custom && overrideCustom) await takeOver(txn, agent, fields)
      }
    }
    txn.audit({
      tenantId: null,
      resourceType: 'agent_config',
      resourceId: role,
      after: { ...push, ...receipt },
    })
    return receipt
  })
}

async function checkTenants(txn: Transaction, ids: readonly string[] = []): Promise<void> {
  const known = new Set((await txn.em.find(Tenant, { id: { $in: [...ids] } })).map(({ id }) => id))
  const unknown = ids.findIndex((id) => !known.has(id))
  if (unknown >= 0) throw invalid(`tenantIds.${unknown}`, 'There is no such tenant')
}

/** Gives the agent to the tenants of its plans that lack it. */
async function giveTo(txn: Transaction, master: MasterRow, tenantIds: string[] | undefined): Promise<void> {
  const having = await txn.em.find(TenantAgent, { role: master.role }, { fields: ['tenantId'] })
  const tenants = await txn.em.find(
    Tenant,
    {
      plan: { $in: master.isAvailableOnPlans },
      status: { $ne: 'cancelled' },
      id: { $nin: having.map(({ tenantId }) => tenantId), ...(tenantIds && { $in: tenantIds }) },
    },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  for (const tenant of tenants) addAgent(txn, tenant, master.role, await skillsForAll(txn, tenant.id))
  await txn.em.flush()
}

function customAmong(agent: AgentRow, fields: ReadonlySet<PushField>): boolean {
  const custom = new Set(customFields(agent))
  return [...fields].some((field) => {
    const own = field === 'maxCostUsdPerActivity' ? field : overlaid[field]
    return custom.has(own ?? field)
  })
}

/** Takes away what a tenant has set itself, so that it inherits. */
async function takeOver(txn: Transaction, agent: AgentRow, fields: ReadonlySet<PushField>): Promise<void> {
  const before = ownSettings(agent)
  const since = agent.updatedOn
  for (const field of fields) {
    const own = overlaid[field]
    if (own) Object.assign(agent, { [own]: null })
  }
  const kept = Object.entries(agent.adapterConfig ?? {}).filter(
    ([name]) => !fields.has(`adapterConfig.${name}` as PushField),
  )
  agent.adapterConfig = kept.length === 0 ? null : Object.fromEntries(kept)
  agent.updatedOn = txn.clock.date()
  const after = ownSettings(agent)
  const note = 'Pushed by the platform'
  await saveVersion(txn, { ...agentVersions(agent), before: { data: before, since }, after, note })
  txn.audit({
    tenantId: agent.tenantId,
    resourceType: 'agent',
    resourceId: agent.id,
    before,
    after: { ...after, note },
  })
}
