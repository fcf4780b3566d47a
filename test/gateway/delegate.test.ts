import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../packages/core/src/gateway/access.ts'
import { delegate } from '../../packages/core/src/gateway/delegate.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { adminOnly, createRig, errorOf, someId, team } from './rig.ts'

const resolve = endpoint({
  id: 'dashboard.approvals.resolve',
  route: 'POST /approvals/:approvalId/resolve',
  summary: 'Resolve',
  access: adminOnly,
  body: z.object({ resolution: z.enum(['approved', 'rejected']) }),
  reply: { 200: z.object({ approvalId: z.string(), resolution: z.string() }) },
}).handle(async (_ctx, { params, body }) => ({ approvalId: params.approvalId, resolution: body.resolution }))

const reviewers = access({ roles: ['reviewer'] })
const twin = delegate(resolve, { id: 'cli.resolve', route: 'POST /approvals/:id/resolve', access: reviewers })

const cli = surface({
  name: 'cli',
  prefix: '/cli/v1',
  access: reviewers,
  tenant: 'query-or-header',
  limits: { perMinute: 1200, burst: 240, by: 'user' },
  endpoints: [twin],
})

describe('delegate', () => {
  it('serves the definition under its own route, access and surface', async () => {
    const { call, audits } = createRig([resolve], { more: [cli] })
    const path = `/cli/v1/approvals/${someId}/resolve`
    const json = { resolution: 'approved' }
    const response = await call('POST', path, { as: 'reviewer', json })
    expect(await response.json()).toEqual({ approvalId: someId, resolution: 'approved' })
    expect(response.headers.get('x-ratelimit-limit')).toBe('1200')
    expect(audits[0]?.ctx.trace).toMatchObject({ surface: 'cli', action: 'cli.resolve' })
    expect(audits[0]?.entry.resourceId).toBe(someId)
    expect(await errorOf(await call('POST', path, { as: 'admin', json }))).toMatchObject({ status: 403 })
    const wrong = await call('POST', path, { as: 'reviewer', json: { resolution: 'maybe' } })
    expect(await errorOf(wrong)).toMatchObject({ field: 'resolution' })
    const noId = await call('POST', '/cli/v1/approvals/7/resolve', { as: 'reviewer', json })
    expect(await errorOf(noId)).toMatchObject({ status: 404 })
  })

  it('rejects a route with other parameters', () => {
    const spec = { id: 'x', access: team }
    expect(() => delegate(resolve, { ...spec, route: 'PUT /approvals/:id/resolve' })).toThrow(
      'cannot stand for',
    )
    expect(() => delegate(resolve, { ...spec, route: 'POST /approvals/resolve' })).toThrow('cannot stand for')
  })
})
