import { LatestSession, SessionReceipt, SessionReport } from '../../domain/work/agent-control/schemas.ts'
import { latestSession, putSession } from '../../domain/work/agent-control/sessions.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { keys } from './access.ts'

export const put = endpoint({
  id: 'agent.sessions.put',
  route: 'PUT /sessions/:agentRole',
  summary: 'Keep a session of a command-line runtime',
  access: keys,
  body: SessionReport,
  reply: { 200: SessionReceipt },
  audit: 'agent.session',
}).handle((ctx, { params, body }) => putSession(ctx, params.agentRole, body))

export const latest = endpoint({
  id: 'agent.sessions.latest',
  route: 'GET /sessions/:agentRole/latest',
  summary: 'The session of the role that was used last',
  access: keys,
  reply: { 200: LatestSession },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { params }) => latestSession(ctx, params.agentRole))
