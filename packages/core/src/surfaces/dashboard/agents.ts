import {
  agentHistory,
  agentVersion,
  changeAgent,
  restoreAgent,
} from '../../domain/agents/configuration/config.ts'
import { getAgent, listOwnAgents } from '../../domain/agents/configuration/list-queries.ts'
import {
  AgentChanges,
  AgentCheck,
  AgentDetail,
  AgentList,
} from '../../domain/agents/configuration/schemas.ts'
import { testAgent } from '../../domain/work/agent-control/health.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.agents.list',
  route: 'GET /agents',
  summary: 'The agents of the tenant and what they are doing',
  access: team,
  reply: { 200: AgentList },
}).handle((ctx) => listOwnAgents(ctx))

export const get = endpoint({
  id: 'dashboard.agents.get',
  route: 'GET /agents/:agentRole',
  summary: 'One agent with how it works; secrets are left out',
  access: team,
  reply: { 200: AgentDetail },
}).handle((ctx, { params }) => getAgent(ctx, params.agentRole))

export const change = endpoint({
  id: 'dashboard.agents.change',
  route: 'PATCH /agents/:agentRole',
  summary: 'Change how an agent works for the tenant; what is not named is inherited',
  access: admins,
  takesCredential: true,
  body: AgentChanges,
  reply: { 200: AgentDetail },
  audit: 'agent.change',
}).handle((ctx, { params, body }) => changeAgent(ctx, params.agentRole, body))

export const test = endpoint({
  id: 'dashboard.agents.test',
  route: 'POST /agents/:agentRole/test',
  summary: 'Check whether an agent could run now; has no cost',
  access: team,
  reply: { 200: AgentCheck },
  audit: 'agent.test',
}).handle((ctx, { params }) => testAgent(ctx, params.agentRole))

export const versions = endpoint({
  id: 'dashboard.agents.versions',
  route: 'GET /agents/:agentRole/versions',
  summary: 'Everything that the tenant has ever set about an agent, newest first',
  access: team,
  ...versionList,
}).handle((ctx, { params, query }) => agentHistory(ctx, params.agentRole, query))

export const version = endpoint({
  id: 'dashboard.agents.version',
  route: 'GET /agents/:agentRole/versions/:version',
  summary: 'What the tenant had set at one time, and what changed since another',
  access: team,
  ...oneVersion,
}).handle((ctx, { params, query }) => agentVersion(ctx, params.agentRole, params.version, query))

export const restore = endpoint({
  id: 'dashboard.agents.restore',
  route: 'POST /agents/:agentRole/versions/:version/restore',
  summary: 'Put back what the tenant had set; the first version is mostly that it had set nothing',
  access: admins,
  ...restoredVersion,
  reply: { 200: AgentDetail },
  errors: ['UNPROCESSABLE'],
  audit: 'agent.restore',
}).handle((ctx, { params }) => restoreAgent(ctx, params.agentRole, params.version))
