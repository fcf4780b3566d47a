import { getAgentForReview, listAgentStates } from '../../domain/agents/review-queries.ts'
import {
  AgentPause,
  ErrorClearance,
  ManualRun,
  ReviewerAgentDetail,
  ReviewerAgentList,
  ReviewerAgentQuery,
  ReviewerAgentState,
} from '../../domain/agents/review-schemas.ts'
import { runAgent } from '../../domain/agents/run-now.ts'
import { clearAgentError, pauseAgent, resumeAgent } from '../../domain/agents/steer.ts'
import { RetryReceipt } from '../../domain/activities/schemas.ts'
import { listQueues } from '../../domain/runs/queue-queries.ts'
import { QueueList, QueueQuery } from '../../domain/runs/queue-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.agents.list',
  route: 'GET /agents',
  summary: 'The agents of all assigned tenants and what they are doing',
  access: reviewers,
  query: ReviewerAgentQuery,
  reply: { 200: ReviewerAgentList },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listAgentStates(ctx, query))

export const queues = endpoint({
  id: 'dm.agents.queues',
  route: 'GET /agents/queues',
  summary: 'How the queue of every agent of the assigned tenants stands',
  access: reviewers,
  query: QueueQuery,
  reply: { 200: QueueList },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx) => listQueues(ctx))

export const detail = endpoint({
  id: 'dm.agents.get',
  route: 'GET /agents/:tenantId/:agentRole',
  summary: 'One agent of a tenant with how it works, what waits for it and what it did last',
  access: reviewers,
  reply: { 200: ReviewerAgentDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getAgentForReview(ctx, params.tenantId, params.agentRole))

export const run = endpoint({
  id: 'dm.agents.run',
  route: 'POST /agents/:role/run',
  summary: 'Give an agent of a tenant a task outside of any plan',
  access: reviewers,
  body: ManualRun,
  reply: { 202: RetryReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'agent.run',
}).handle((ctx, { params, body }) => runAgent(ctx, params.role, body))

export const pause = endpoint({
  id: 'dm.agents.pause',
  route: 'POST /agents/:tenantId/:agentRole/pause',
  summary: 'Hold the work of an agent back; what is under way ends',
  access: reviewers,
  body: AgentPause,
  reply: { 200: ReviewerAgentState },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'agent.pause',
}).handle((ctx, { params, body }) => pauseAgent(ctx, params.tenantId, params.agentRole, body))

export const resume = endpoint({
  id: 'dm.agents.resume',
  route: 'POST /agents/:tenantId/:agentRole/resume',
  summary: 'Let an agent go on with what was held back',
  access: reviewers,
  reply: { 200: ReviewerAgentState },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'agent.resume',
}).handle((ctx, { params }) => resumeAgent(ctx, params.tenantId, params.agentRole))

export const clearError = endpoint({
  id: 'dm.agents.clear_error',
  route: 'POST /agents/:tenantId/:agentRole/clear-error',
  summary: 'Say that what an agent failed of is mended',
  access: reviewers,
  body: ErrorClearance,
  reply: { 200: ReviewerAgentState },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'agent.clear_error',
}).handle((ctx, { params, body }) => clearAgentError(ctx, params.tenantId, params.agentRole, body))
