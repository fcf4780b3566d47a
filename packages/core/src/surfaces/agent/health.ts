import { agentHealth } from '../../domain/work/agent-control/health.ts'
import { probeAgent } from '../../domain/work/agent-control/probe.ts'
import { AgentHealth, ProbeReceipt } from '../../domain/work/agent-control/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { keys } from './access.ts'

export const check = endpoint({
  id: 'agent.health.check',
  route: 'GET /health/:agentRole',
  summary: 'Whether the agent could run now',
  access: keys,
  reply: { 200: AgentHealth },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { params }) => agentHealth(ctx, params.agentRole))

export const test = endpoint({
  id: 'agent.health.test',
  route: 'POST /health/:agentRole/test',
  summary: 'A minimal run, including the model call',
  access: keys,
  reply: { 200: ProbeReceipt },
  errors: ['VALIDATION_ERROR'],
  audit: 'agent.probe',
  limit: { requests: 10, perSeconds: 60, by: 'user' },
}).handle((ctx, { params }) => probeAgent(ctx, params.agentRole))
