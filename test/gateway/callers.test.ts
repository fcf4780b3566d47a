import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../packages/core/src/gateway/access.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createRig, errorOf, runId, someId, tenantA, tenantB } from './rig.ts'

describe('tenant rules', () => {
  const where = endpoint({
    id: 'dm.where',
    route: 'GET /where',
    summary: 'Show the scope',
    access: access({ roles: ['reviewer'], app: 'dm-portal' }),
    reply: { 200: z.array(z.string()) },
  }).handle(async (ctx) => [ctx.scope].flat())
  const rig = (tenant: 'query' | 'query-or-header') => createRig([where], { surface: { tenant } })

  it('takes the tenant from the query, or all that are assigned', async () => {
    const { call } = rig('query')
    const ask = async (query: string) =>
      (await call('GET', `/dashboard/v1/where${query}`, { as: 'reviewer' })).json()
    expect(await ask('')).toEqual([tenantA, tenantB])
    expect(await ask(`?tenantId=${tenantB}`)).toEqual([tenantB])
    const foreign = await call('GET', `/dashboard/v1/where?tenantId=${someId}`, { as: 'reviewer' })
    expect(await errorOf(foreign)).toEqual({ status: 403, code: 'FORBIDDEN' })
  })

  it('takes it from the header too, unless the two differ', async () => {
    const { call } = rig('query-or-header')
    const headers = { 'x-tenant-id': tenantB }
    const one = await call('GET', '/dashboard/v1/where', { as: 'reviewer', headers })
    expect(await one.json()).toEqual([tenantB])
    const both = await call('GET', `/dashboard/v1/where?tenantId=${tenantA}`, { as: 'reviewer', headers })
    expect(await errorOf(both)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field: 'tenantId' })
  })

  it('rejects the task token of another run', async () => {
    const status = endpoint({
      id: 'agent.status',
      route: 'GET /runs/:runId/status',
      summary: 'Show a run',
      access: access({ roles: ['agent'], credentials: ['task'] }),
      reply: { 200: z.object({}) },
    }).handle(async () => ({}))
    const { call } = createRig([status], { surface: { tenant: 'run' } })
    expect((await call('GET', `/dashboard/v1/runs/${runId}/status`, { as: 'task' })).status).toBe(200)
    const other = await call('GET', `/dashboard/v1/runs/${someId}/status`, { as: 'task' })
    expect(await errorOf(other)).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  })
})
