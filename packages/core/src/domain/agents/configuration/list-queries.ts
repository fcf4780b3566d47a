import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { count, type RowOf, select, table } from '../../../platform/database/read.ts'
import { REDACTED } from '../../../platform/redact.ts'
import { agentColumns, agentTables, toEffective } from './effective-queries.ts'
import { DefaultAgent, TenantAgent } from './entities.ts'
import type { AgentDetail, AgentItem } from './schemas.ts'
import { customFields, promptPlaceholders } from './settings.ts'

const a = table(TenantAgent, 'a')

const agent = select({
  ...agentColumns,
  id: a.id,
  description: table(DefaultAgent, 'm').description,
  lastErrorAt: a.lastErrorAt,
  lastErrorMessage: a.lastErrorMessage,
  runningCount: count(
    `(select count(*) from runs r where r.open = ? and r.tenant_id = a.tenant_id and r.agent_role = a.role
       and r.status = 'running' and r.purpose = 'work')`,
  ),
})
type Agent = RowOf<typeof agent>

/** Every agent role of a tenant as it works there, with what it is doing at the moment. */
export async function listAgents(ctx: Ctx, tenantId: string): Promise<AgentItem[]> {
  return (await read(ctx, tenantId)).map(toItem)
}

/** Every agent role of the tenant of the context. Serves `GET /dashboard/v1/agents`. */
export async function listOwnAgents(ctx: Ctx): Promise<{ data: AgentItem[] }> {
  return { data: await listAgents(ctx, oneTenant(ctx)) }
}

/**
 * One agent role of the tenant of the context with how it works; secrets are left out.
 * Serves `GET /dashboard/v1/agents/:agentRole`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getAgent(ctx: Ctx, role: string): Promise<AgentDetail> {
  const [row] = await read(ctx, oneTenant(ctx), role)
  if (!row) throw notFound('agent', { by: 'role' })
  const { name, model, adapterType, adapterConfig } = toEffective(row)
  const { promptTemplate, timeoutSec, graceSec, maxTurnsPerRun, fallbackModels = [], ...hook } = adapterConfig
  return {
    ...toItem(row),
    name,
    description: row.description,
    customFields: customFields(row),
    adapterConfig: {
      model,
      promptTemplate,
      timeoutSec,
      graceSec,
      maxTurnsPerRun,
      fallbackModels,
      ...(hook.command !== undefined && { command: hook.command }),
      ...(hook.webhookUrl !== undefined && { webhookUrl: hook.webhookUrl }),
      ...(hook.authHeader !== undefined && { authHeader: hook.authHeader }),
      ...(hook.authValueSealed !== undefined && { authValue: REDACTED }),
      environmentKeys: adapterType === 'adapter_a' ? variablesOf(ctx, hook.command) : [],
    },
    placeholders: Object.keys(promptPlaceholders),
  }
}

/** Names of what a command is given beside what every program gets. */
function variablesOf({ services }: Ctx, name = ''): string[] {
  const { env = {}, passEnv = [] } = services.commands.get(name) ?? {}
  return [...new Set([...Object.keys(env), ...passEnv])].toSorted()
}

function read(ctx: Ctx, tenantId: string, role?: string): Promise<Agent[]> {
  const scope = within(ctx.scope, 'a.tenant_id')
  return agent.all(
    ctx.sql,
    `from ${agentTables} where a.tenant_id = ? and ${scope.sql} ${role === undefined ? '' : 'and a.role = ?'}
     order by a.role`,
    [true, tenantId, ...scope.params, ...(role === undefined ? [] : [role])],
  )
}

function toItem(row: Agent): AgentItem {
  const { id, runningCount, lastErrorAt, lastErrorMessage } = row
  const { role, status, model, adapterType, toolNames, skillIds, ...effective } = toEffective(row)
  const { maxCostMicrosPerActivity, concurrency, isGlobalDefault } = effective
  return {
    id,
    role,
    // What it is at the moment follows from its runs.
    status: status !== 'active' ? status : runningCount > 0 ? 'running' : 'idle',
    runningCount,
    model,
    adapterType,
    toolNames,
    skillIds,
    ...(maxCostMicrosPerActivity !== null && { maxCostUsdPerActivity: toUsd(maxCostMicrosPerActivity) }),
    concurrency,
    isGlobalDefault,
    ...(lastErrorAt && { lastErrorAt }),
    ...(lastErrorMessage ? { lastErrorMessage } : {}),
  }
}
