import { agentHealth } from '../../domain/agents/health.ts'
import { AgentHealth, ProbeReceipt } from '../../domain/agents/health-schemas.ts'
import { probeAgent } from '../../domain/agents/probe.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { keys } from './access.ts'

export const check = endpoint({
  id: 'agent.health.check',
  route: 'GET /health/:agentRole',
  summary: 'Whether work could be given to the agent now',
  access: keys,
  reply: { 200: AgentHealth },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params }) => agentHealth(ctx, params.agentRole))

export const probe = endpoint({
  id: 'agent.health.test',
  route: 'POST /health/:agentRole/test',
  summary: 'A minimal piece of work, all the way to the model and back',
  access: keys,
  reply: { 200: ProbeReceipt },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'agent.probe',
  limit: { requests: 10, perSeconds: 60, by: 'user' },
}).handle((ctx, { params }) => probeAgent(ctx, params.agentRole))
