import { delegate } from '../../gateway/delegate.ts'
import * as dashboard from '../dashboard/agents.ts'
import { admins, team } from './access.ts'

export const list = delegate(dashboard.list, {
  id: 'tenant.agents.list',
  route: 'GET /agents',
  access: team,
})

export const get = delegate(dashboard.get, {
  id: 'tenant.agents.get',
  route: 'GET /agents/:agentRole',
  access: team,
})

export const change = delegate(dashboard.change, {
  id: 'tenant.agents.change',
  route: 'PATCH /agents/:agentRole',
  access: admins,
})

export const test = delegate(dashboard.test, {
  id: 'tenant.agents.test',
  route: 'POST /agents/:agentRole/test',
  access: team,
})

export const versions = delegate(dashboard.versions, {
  id: 'tenant.agents.versions',
  route: 'GET /agents/:agentRole/versions',
  access: team,
})

export const version = delegate(dashboard.version, {
  id: 'tenant.agents.version',
  route: 'GET /agents/:agentRole/versions/:version',
  access: team,
})

export const restore = delegate(dashboard.restore, {
  id: 'tenant.agents.restore',
  route: 'POST /agents/:agentRole/versions/:version/restore',
  access: admins,
})
