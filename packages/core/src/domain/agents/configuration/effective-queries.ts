import type { InferEntity } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import {
  type AdapterConfig,
  type AdapterType,
  type AgentStatus,
  DefaultAgent,
  TenantAgent,
} from './entities.ts'

const a = table(TenantAgent, 'a')
const m = table(DefaultAgent, 'm')

/** Agents with their masters, as `a` and `m`. */
export const agentTables = `${a} join ${m} on m.role = a.role`

/** What is read of an agent to know how it works, and what its tenant has set itself. */
export const agentColumns = {
  role: m.role,
  name: m.name,
  ...pick(
    a,
    'status',
    'model',
    'adapterType',
    'adapterConfig',
    'toolNames',
    'skillIds',
    'ownSkillIds',
    'maxCostMicrosPerActivity',
    'concurrency',
  ),
  defaultModel: m.defaultModel,
  defaultAdapter: m.defaultAdapter,
  defaultConfig: m.adapterConfig,
  defaultTools: m.defaultTools,
  defaultSkillIds: m.defaultSkillIds,
  defaultMaxCost: m.maxCostMicrosPerActivity,
  defaultConcurrency: m.defaultConcurrency,
}
const agent = select(agentColumns)

/** An agent role as it works for one tenant: the master with the tenant's own settings over it. */
export interface EffectiveAgent {
  role: string
  /** For people. */
  name: string
  status: AgentStatus
  model: string
  adapterType: AdapterType
  /** May hold a sealed secret: never to be sent anywhere. */
  adapterConfig: AdapterConfig
  toolNames: string[]
  /** Of the installation's skills and the tenant's own. */
  skillIds: string[]
  /** Micro-dollars; null is without a cap. */
  maxCostMicrosPerActivity: number | null
  /** Runs at the same time. */
  concurrency: number
  /** True while the tenant has changed nothing about it. */
  isGlobalDefault: boolean
}

/** What a tenant may set itself about an agent; null is inherited. */
export type OwnColumns = Pick<
  InferEntity<typeof TenantAgent>,
  | 'model'
  | 'adapterType'
  | 'toolNames'
  | 'skillIds'
  | 'maxCostMicrosPerActivity'
  | 'concurrency'
  | 'adapterConfig'
>

/**
 * How a role works for a tenant, as committed; inside a command, as flushed so far.
 * @returns undefined when the role is not enabled for the tenant, or the tenant is outside the scope
 */
export async function effectiveAgent(
  ctx: Ctx | Transaction,
  tenantId: string,
  role: string,
): Promise<EffectiveAgent | undefined> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 'a.tenant_id')
  const row = await agent.get(
    sql,
    `from ${agentTables} where a.tenant_id = ? and a.role = ? and a.status <> 'terminated' and ${scope.sql}`,
    [tenantId, role, ...scope.params],
  )
  return row && toEffective(row)
}

/** Lays a tenant's own settings over those of the master. */
export function toEffective(row: RowOf<typeof agent>): EffectiveAgent {
  const { role, name, status, model, adapterType, adapterConfig, toolNames, skillIds } = row
  const { maxCostMicrosPerActivity, concurrency } = row
  const own = [model, adapterType, adapterConfig, toolNames, skillIds, maxCostMicrosPerActivity, concurrency]
  return {
    role,
    name,
    status,
    model: model ?? row.defaultModel,
    adapterType: adapterType ?? row.defaultAdapter,
    adapterConfig: { ...row.defaultConfig, ...adapterConfig },
    toolNames: toolNames ?? row.defaultTools,
    skillIds: [...(skillIds ?? row.defaultSkillIds), ...(row.ownSkillIds ?? [])],
    maxCostMicrosPerActivity: maxCostMicrosPerActivity ?? row.defaultMaxCost,
    concurrency: concurrency ?? row.defaultConcurrency,
    isGlobalDefault: own.every((value) => value === null),
  }
}
