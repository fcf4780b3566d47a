import { RetryReceipt } from '../../domain/work/activities/schemas.ts'
import { getAgentForReview, listAgentStates } from '../../domain/work/agent-control/review-queries.ts'
import { runAgent } from '../../domain/work/agent-control/run-now.ts'
import {
  AgentPause,
  ErrorClearance,
  ManualRun,
  ReviewerAgentDetail,
  ReviewerAgentList,
  ReviewerAgentQuery,
  ReviewerAgentState,
} from '../../domain/work/agent-control/schemas.ts'
import { clearAgentError, pauseAgent, resumeAgent } from '../../domain/work/agent-control/steer.ts'
import { listQueues } from '../../domain/work/runs/queue/queue-queries.ts'
import { QueueList, QueueQuery } from '../../domain/work/runs/queue/queue-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.agents.list',
  route: 'GET /agents',
  summary: 'The agents of all assigned tenants and what they are doing',
  access: reviewers,
  query: ReviewerAgentQuery,
  reply: { 200: ReviewerAgentList },
}).handle((ctx, { query }) => listAgentStates(ctx, query))

export const queues = endpoint({
  id: 'dm.agents.queues',
  route: 'GET /agents/queues',
  summary: 'The queue of every agent of the assigned tenants',
  access: reviewers,
  query: QueueQuery,
  reply: { 200: QueueList },
}).handle((ctx) => listQueues(ctx))

export const get = endpoint({
  id: 'dm.agents.get',
  route: 'GET /agents/:tenantId/:agentRole',
  summary: 'One agent of a tenant with its settings, queue and latest runs',
  access: reviewers,
  reply: { 200: ReviewerAgentDetail },
}).handle((ctx, { params }) => getAgentForReview(ctx, params.tenantId, params.agentRole))

export const run = endpoint({
  id: 'dm.agents.run',
  route: 'POST /agents/:role/run',
  summary: 'Give an agent of a tenant a task outside of any plan',
  access: reviewers,
  body: ManualRun,
  reply: { 202: RetryReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'agent.run',
}).handle((ctx, { params, body }) => runAgent(ctx, params.role, body))

export const pause = endpoint({
  id: 'dm.agents.pause',
  route: 'POST /agents/:tenantId/:agentRole/pause',
  summary: 'Pause an agent; current runs finish first',
  access: reviewers,
  body: AgentPause,
  reply: { 200: ReviewerAgentState },
  errors: ['UNPROCESSABLE'],
  audit: 'agent.pause',
}).handle((ctx, { params, body }) => pauseAgent(ctx, params.tenantId, params.agentRole, body))

export const resume = endpoint({
  id: 'dm.agents.resume',
  route: 'POST /agents/:tenantId/:agentRole/resume',
  summary: 'Let an agent go on with what was held back',
  access: reviewers,
  reply: { 200: ReviewerAgentState },
  errors: ['UNPROCESSABLE'],
  audit: 'agent.resume',
}).handle((ctx, { params }) => resumeAgent(ctx, params.tenantId, params.agentRole))

export const clearError = endpoint({
  id: 'dm.agents.clear_error',
  route: 'POST /agents/:tenantId/:agentRole/clear-error',
  summary: 'Say that what an agent failed of is fixed',
  access: reviewers,
  body: ErrorClearance,
  reply: { 200: ReviewerAgentState },
  errors: ['UNPROCESSABLE'],
  audit: 'agent.clear_error',
}).handle((ctx, { params, body }) => clearAgentError(ctx, params.tenantId, params.agentRole, body))
