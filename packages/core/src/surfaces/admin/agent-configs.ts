import {
  changeMaster,
  getMaster,
  listMasters,
  masterHistory,
  masterVersion,
  restoreMaster,
} from '../../domain/agents/master-config.ts'
import {
  MasterChanges,
  MasterDetail,
  MasterList,
  Push,
  PushReceipt,
} from '../../domain/agents/master-schemas.ts'
import { pushMaster } from '../../domain/agents/push.ts'
import {
  VersionDetail,
  VersionListQuery,
  versionNumber,
  VersionPage,
  VersionQuery,
} from '../../domain/versions/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.agent_configs.list',
  route: 'GET /agent-configs',
  summary: 'Every agent role as it is before a tenant changes it',
  access: operators,
  reply: { 200: MasterList },
}).handle((ctx) => listMasters(ctx))

export const detail = endpoint({
  id: 'admin.agent_configs.get',
  route: 'GET /agent-configs/:agentRole',
  summary: 'One agent role with its prompt template and limits',
  access: operators,
  reply: { 200: MasterDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getMaster(ctx, params.agentRole))

export const change = endpoint({
  id: 'admin.agent_configs.change',
  route: 'PATCH /agent-configs/:agentRole',
  summary: 'Change an agent role for all tenants that have set nothing of their own in these fields',
  access: operators,
  body: MasterChanges,
  reply: { 200: MasterDetail },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'agent_config.change',
}).handle((ctx, { params, body }) => changeMaster(ctx, params.agentRole, body))

export const push = endpoint({
  id: 'admin.agent_configs.push',
  route: 'POST /agent-configs/:agentRole/push',
  summary: 'Bring fields of an agent role to tenants, over what they have set themselves if so wished',
  access: operators,
  body: Push,
  reply: { 200: PushReceipt },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'agent_config.push',
}).handle((ctx, { params, body }) => pushMaster(ctx, params.agentRole, body))

export const versions = endpoint({
  id: 'admin.agent_configs.versions',
  route: 'GET /agent-configs/:agentRole/versions',
  summary: 'Every state that an agent role has had, newest first',
  access: operators,
  query: VersionListQuery,
  reply: { 200: VersionPage },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => masterHistory(ctx, params.agentRole, query))

export const version = endpoint({
  id: 'admin.agent_configs.version',
  route: 'GET /agent-configs/:agentRole/versions/:version',
  summary: 'One of these states, and what changed since another',
  access: operators,
  params: { version: versionNumber },
  query: VersionQuery,
  reply: { 200: VersionDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params, query }) => masterVersion(ctx, params.agentRole, params.version, query))

export const restore = endpoint({
  id: 'admin.agent_configs.restore',
  route: 'POST /agent-configs/:agentRole/versions/:version/restore',
  summary: 'Put a former state of an agent role back',
  access: operators,
  params: { version: versionNumber },
  reply: { 200: MasterDetail },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'agent_config.restore',
}).handle((ctx, { params }) => restoreMaster(ctx, params.agentRole, params.version))
