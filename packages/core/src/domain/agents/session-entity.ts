import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'

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
