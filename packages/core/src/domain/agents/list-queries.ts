import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { toUsd } from '../money.ts'
import { within } from '../scope.ts'
import { agentColumns, agentTables, toEffective } from './effective-queries.ts'
import type { AgentItem } from './schemas.ts'

/** Every agent role of a tenant as it works there, with what it is doing at the moment. */
export async function listAgents(ctx: Ctx, tenantId: string): Promise<AgentItem[]> {
  const scope = within(ctx.scope, 'a.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select ${agentColumns}, a.id, a.last_error_at, a.last_error_message,
       (select count(*) from runs r where r.open = ? and r.tenant_id = a.tenant_id and r.agent_role = a.role
         and r.status = 'running') as running
     from ${agentTables} where a.tenant_id = ? and ${scope.sql} order by a.role`,
    [true, tenantId, ...scope.params],
  )
  return rows.map(toItem)
}

function toItem(row: Row): AgentItem {
  const agent = toEffective(row)
  const { role, model, adapterType, toolNames, skillIds, maxCostMicrosPerActivity, concurrency } = agent
  const runningCount = asNumber(row.running)
  const lastErrorAt = asDate(row.last_error_at)
  return {
    id: row.id as string,
    role,
    // What it is at the moment follows from its runs.
    status: agent.status !== 'active' ? agent.status : runningCount > 0 ? 'running' : 'idle',
    runningCount,
    model,
    adapterType,
    toolNames,
    skillIds,
    ...(maxCostMicrosPerActivity !== null && { maxCostUsdPerActivity: toUsd(maxCostMicrosPerActivity) }),
    concurrency,
    isGlobalDefault: agent.isGlobalDefault,
    ...(lastErrorAt && { lastErrorAt }),
    ...(row.last_error_message ? { lastErrorMessage: row.last_error_message as string } : {}),
  }
}
