import { getAgent, listOwnAgents } from '../../domain/agents/list-queries.ts'
import {
  agentHistory,
  agentVersion,
  changeAgent,
  restoreAgent,
  testAgent,
} from '../../domain/agents/own-agents.ts'
import { AgentChanges, AgentCheck, AgentDetail, AgentList } from '../../domain/agents/schemas.ts'
import {
  VersionDetail,
  VersionListQuery,
  versionNumber,
  VersionPage,
  VersionQuery,
} from '../../domain/versions/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.agents.list',
  route: 'GET /agents',
  summary: 'The agents of the tenant and what they are doing',
  access: team,
  reply: { 200: AgentList },
}).handle((ctx) => listOwnAgents(ctx))

export const detail = endpoint({
  id: 'dashboard.agents.get',
  route: 'GET /agents/:agentRole',
  summary: 'One agent with how it works; secrets are left out',
  access: team,
  reply: { 200: AgentDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getAgent(ctx, params.agentRole))

export const change = endpoint({
  id: 'dashboard.agents.change',
  route: 'PATCH /agents/:agentRole',
  summary: 'Change how an agent works for the tenant; what is not named is inherited',
  access: admins,
  takesCredential: true,
  body: AgentChanges,
  reply: { 200: AgentDetail },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'agent.change',
}).handle((ctx, { params, body }) => changeAgent(ctx, params.agentRole, body))

export const test = endpoint({
  id: 'dashboard.agents.test',
  route: 'POST /agents/:agentRole/test',
  summary: 'Ask whether work could be given to an agent now; costs nothing',
  access: team,
  reply: { 200: AgentCheck },
  errors: ['NOT_FOUND'],
  audit: 'agent.test',
}).handle((ctx, { params }) => testAgent(ctx, params.agentRole))

export const versions = endpoint({
  id: 'dashboard.agents.versions',
  route: 'GET /agents/:agentRole/versions',
  summary: 'Everything that the tenant has ever set about an agent, newest first',
  access: team,
  query: VersionListQuery,
  reply: { 200: VersionPage },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => agentHistory(ctx, params.agentRole, query))

export const version = endpoint({
  id: 'dashboard.agents.version',
  route: 'GET /agents/:agentRole/versions/:version',
  summary: 'What the tenant had set at one time, and what changed since another',
  access: team,
  params: { version: versionNumber },
  query: VersionQuery,
  reply: { 200: VersionDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params, query }) => agentVersion(ctx, params.agentRole, params.version, query))

export const restore = endpoint({
  id: 'dashboard.agents.restore',
  route: 'POST /agents/:agentRole/versions/:version/restore',
  summary: 'Put back what the tenant had set; the first version is mostly that it had set nothing',
  access: admins,
  params: { version: versionNumber },
  reply: { 200: AgentDetail },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'agent.restore',
}).handle((ctx, { params }) => restoreAgent(ctx, params.agentRole, params.version))
