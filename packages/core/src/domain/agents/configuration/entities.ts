import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export type AdapterType = 'adapter_a' | 'adapter_b' | 'local'

export interface AdapterConfig {
  /** System prompt with `{{placeholders}}`. */
  promptTemplate: string
  /** How long one run may take, seconds. */
  timeoutSec: number
  /** How much longer a run that is told to stop may take to end, seconds. */
  graceSec: number
  maxTurnsPerRun: number
  /** `local`: models that are asked when the agent's own fails; default: those of the installation. */
  fallbackModels?: string[]
  /** `adapter_a`: which of the commands that the operator has configured. */
  command?: string
  /** `adapter_b`: where the dispatch is posted to. */
  webhookUrl?: string
  /** `adapter_b`: name of the header that carries the secret. */
  authHeader?: string
  /** `adapter_b`: the secret, sealed for its tenant; never leaves. */
  authValueSealed?: string
}

/** What an agent role is before any tenant changes it. */
export const DefaultAgent = defineEntity({
  name: 'MasterAgent',
  tableName: 'master_agents',
  properties: {
    role: p.string().primary(),
    name: p.string(),
    description: p.text(),
    defaultModel: p.string(),
    defaultAdapter: p.string().$type<AdapterType>(),
    defaultTools: p.json().$type<string[]>(),
    defaultSkillIds: p.json().$type<string[]>(),
    maxCostMicrosPerActivity: microsColumn().strictNullable(),
    defaultConcurrency: p.integer(),
    isAvailableOnPlans: p.json().$type<string[]>(),
    adapterConfig: p.json().$type<AdapterConfig>(),
    updatedOn: instantColumn(),
  },
})

export type AgentStatus = 'active' | 'paused' | 'error' | 'terminated'

/** An agent role in progress for one tenant. A null field is inherited from the master. */
export const TenantAgent = defineEntity({
  name: 'TenantAgent',
  tableName: 'tenant_agents',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    role: p.string(),
    /** `running` and `idle` are not stored: they follow from the runs. */
    status: p.string().$type<AgentStatus>(),
    /** What it was before its tenant was suspended, and will be again; null while the tenant is not. */
    statusBefore: p.string().$type<AgentStatus>().strictNullable(),
    model: p.string().strictNullable(),
    adapterType: p.string().$type<AdapterType>().strictNullable(),
    adapterConfig: p.json().$type<Partial<AdapterConfig>>().strictNullable(),
    toolNames: p.json().$type<string[]>().strictNullable(),
    /** In place of the master's skills. */
    skillIds: p.json().$type<string[]>().strictNullable(),
    /** Skills of the tenant's own, beside those; null is none. */
    ownSkillIds: p.json().$type<string[]>().strictNullable(),
    maxCostMicrosPerActivity: microsColumn().strictNullable(),
    concurrency: p.integer().strictNullable(),
    lastErrorAt: instantColumn().strictNullable(),
    lastErrorMessage: p.text().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'tenant_agents_role', properties: ['tenantId', 'role'] }],
  filters: ownedByTenant,
})

/** A conversation that a runtime keeps and can take up again, under the name that it has there. */
export const AgentSession = defineEntity({
  name: 'AgentSession',
  tableName: 'agent_sessions',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    agentRole: p.string(),
    /** As the runtime calls it. */
    sessionId: p.string(),
    /** The run that used it last, and the activity which that run was for. */
    runId: refColumn(),
    activityId: refColumn(),
    /** Used in all of it so far. */
    inputTokens: p.bigint('number'),
    outputTokens: p.bigint('number'),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'agent_sessions_name', properties: ['tenantId', 'agentRole', 'sessionId'] }],
  indexes: [
    { name: 'agent_sessions_latest', properties: ['tenantId', 'agentRole', 'updatedOn'] },
    { name: 'agent_sessions_by_activity', properties: ['activityId', 'updatedOn'] },
  ],
  filters: ownedByTenant,
})
