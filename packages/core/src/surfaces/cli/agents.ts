import { delegate } from '../../gateway/delegate.ts'
import * as dm from '../dm/agents.ts'
import { staff } from './access.ts'

export const list = delegate(dm.list, { id: 'cli.agents.list', route: 'GET /agents', access: staff })

export const queues = delegate(dm.queues, {
  id: 'cli.agents.queues',
  route: 'GET /agents/queues',
  access: staff,
})

export const get = delegate(dm.get, {
  id: 'cli.agents.get',
  route: 'GET /agents/:tenantId/:agentRole',
  access: staff,
})

export const run = delegate(dm.run, { id: 'cli.agents.run', route: 'POST /agents/:role/run', access: staff })

export const pause = delegate(dm.pause, {
  id: 'cli.agents.pause',
  route: 'POST /agents/:tenantId/:agentRole/pause',
  access: staff,
})

export const resume = delegate(dm.resume, {
  id: 'cli.agents.resume',
  route: 'POST /agents/:tenantId/:agentRole/resume',
  access: staff,
})

export const clearError = delegate(dm.clearError, {
  id: 'cli.agents.clear_error',
  route: 'POST /agents/:tenantId/:agentRole/clear-error',
  access: staff,
})
