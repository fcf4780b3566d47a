import {
  changeDefaultAgent,
  defaultAgentHistory,
  defaultAgentVersion,
  getDefaultAgent,
  listDefaultAgents,
  restoreDefaultAgent,
} from '../../domain/agents/configuration/default-agent-config.ts'
import {
  AgentConfigPush,
  MasterChanges,
  MasterDetail,
  MasterList,
  PushReceipt,
} from '../../domain/agents/configuration/default-agent-schemas.ts'
import { pushDefaultAgent } from '../../domain/agents/configuration/push.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.agent_configs.list',
  route: 'GET /agent-configs',
  summary: 'Every agent role as it is before a tenant changes it',
  access: operators,
  reply: { 200: MasterList },
}).handle((ctx) => listDefaultAgents(ctx))

export const get = endpoint({
  id: 'admin.agent_configs.get',
  route: 'GET /agent-configs/:agentRole',
  summary: 'One agent role with its prompt template and limits',
  access: operators,
  reply: { 200: MasterDetail },
}).handle((ctx, { params }) => getDefaultAgent(ctx, params.agentRole))

export const change = endpoint({
  id: 'admin.agent_configs.change',
  route: 'PATCH /agent-configs/:agentRole',
  summary: 'Change a default agent, for all tenants that have not changed these fields',
  access: operators,
  body: MasterChanges,
  reply: { 200: MasterDetail },
  audit: 'agent_config.change',
}).handle((ctx, { params, body }) => changeDefaultAgent(ctx, params.agentRole, body))

export const push = endpoint({
  id: 'admin.agent_configs.push',
  route: 'POST /agent-configs/:agentRole/push',
  summary: 'Bring fields of an agent role to tenants, over what they have set themselves if so wished',
  access: operators,
  body: AgentConfigPush,
  reply: { 200: PushReceipt },
  audit: 'agent_config.push',
}).handle((ctx, { params, body }) => pushDefaultAgent(ctx, params.agentRole, body))

export const versions = endpoint({
  id: 'admin.agent_configs.versions',
  route: 'GET /agent-configs/:agentRole/versions',
  summary: 'Every state that an agent role has had, newest first',
  access: operators,
  ...versionList,
}).handle((ctx, { params, query }) => defaultAgentHistory(ctx, params.agentRole, query))

export const version = endpoint({
  id: 'admin.agent_configs.version',
  route: 'GET /agent-configs/:agentRole/versions/:version',
  summary: 'One of these states, and what changed since another',
  access: operators,
  ...oneVersion,
}).handle((ctx, { params, query }) => defaultAgentVersion(ctx, params.agentRole, params.version, query))

export const restore = endpoint({
  id: 'admin.agent_configs.restore',
  route: 'POST /agent-configs/:agentRole/versions/:version/restore',
  summary: 'Put a former state of an agent role back',
  access: operators,
  ...restoredVersion,
  reply: { 200: MasterDetail },
  errors: ['UNPROCESSABLE'],
  audit: 'agent_config.restore',
}).handle((ctx, { params }) => restoreDefaultAgent(ctx, params.agentRole, params.version))
