import type { InferEntity } from '@mikro-orm/core'
import type { Row } from '../../platform/database/database.ts'
import { asJson, asNumber } from '../../platform/database/row.ts'
import type { Command, Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { AdapterConfig, AdapterType, AgentStatus, TenantAgent } from './entities.ts'

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

const overrides = [
  'model',
  'adapter_type',
  'adapter_config',
  'tool_names',
  'skill_ids',
  'max_cost_micros_per_activity',
  'concurrency',
] as const

export const agentColumns = `m.role, m.name, m.default_model, m.default_adapter, m.default_tools, m.default_skill_ids,
  m.max_cost_micros_per_activity as default_max_cost, m.default_concurrency, m.adapter_config as default_config,
  a.status, a.own_skill_ids, ${overrides.map((column) => `a.${column}`).join(', ')}`

export const agentTables = 'tenant_agents a join master_agents m on m.role = a.role'

/**
 * How a role works for a tenant, as committed; inside a command, as flushed so far.
 * @returns undefined when the role is not enabled for the tenant, or the tenant is outside the scope
 */
export async function effectiveAgent(
  ctx: Ctx | Command,
  tenantId: string,
  role: string,
): Promise<EffectiveAgent | undefined> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 'a.tenant_id')
  const row = await sql.get<Row>(
    `select ${agentColumns} from ${agentTables} where a.tenant_id = ? and a.role = ? and a.status <> 'terminated' and ${scope.sql}`,
    [tenantId, role, ...scope.params],
  )
  return row && toEffective(row)
}

/** Lays a tenant's own settings over those of the master; `row` holds `agentColumns`. */
export function toEffective(row: Row): EffectiveAgent {
  const own = row.max_cost_micros_per_activity ?? row.default_max_cost
  return {
    role: row.role as string,
    name: row.name as string,
    status: row.status as EffectiveAgent['status'],
    model: (row.model ?? row.default_model) as string,
    adapterType: (row.adapter_type ?? row.default_adapter) as AdapterType,
    adapterConfig: {
      ...(asJson<AdapterConfig>(row.default_config) as AdapterConfig),
      ...asJson<Partial<AdapterConfig>>(row.adapter_config),
    },
    toolNames: asJson<string[]>(row.tool_names ?? row.default_tools) ?? [],
    skillIds: [
      ...(asJson<string[]>(row.skill_ids ?? row.default_skill_ids) ?? []),
      ...(asJson<string[]>(row.own_skill_ids) ?? []),
    ],
    maxCostMicrosPerActivity: own === null || own === undefined ? null : asNumber(own),
    concurrency: asNumber(row.concurrency ?? row.default_concurrency),
    isGlobalDefault: overrides.every((column) => row[column] === null),
  }
}

/** What a tenant has set itself; `row` holds `agentColumns`. */
export function ownColumns(row: Row): OwnColumns {
  const { max_cost_micros_per_activity: most, concurrency } = row
  return {
    model: row.model as string | null,
    adapterType: row.adapter_type as AdapterType | null,
    toolNames: asJson<string[]>(row.tool_names),
    skillIds: asJson<string[]>(row.skill_ids),
    maxCostMicrosPerActivity: most === null ? null : asNumber(most),
    concurrency: concurrency === null ? null : asNumber(concurrency),
    adapterConfig: asJson<Partial<AdapterConfig>>(row.adapter_config),
  }
}
