import { describe, expect, it } from 'vitest'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createOperator, type Operator, sendTo } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const brief = { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post' as const, quantity: 1 }] }

const logOf = async (operator: Operator, id: string, query = '') =>
  (await operator.send('GET', `/admin/v1/tenants/${id}/audit-log?${query}`)).json

const actions = (log: { data: Array<{ action: string }> }) => log.data.map(({ action }) => action)

const recordOf = async (app: TestApp, action: string) =>
  (await app.db.sql.all<Record<string, unknown>>('select * from audit_records where action = ?', [action]))[0]

describe('admin.tenants.audit_log', () => {
  it('lists who did what with the state before and after, and nothing of another tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const team = await app.team()
    const neighbour = await app.team('Neighbour')
    const { id } = await team.admin.call('dashboard', 'POST /campaigns', { body: brief })
    const foreign = await neighbour.admin.call('dashboard', 'POST /campaigns', { body: brief })
    const params = { campaignId: id }
    await team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params, body: { name: 'Summer' } })
    await team.admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params })
    const log = await logOf(operator, team.tenantId, 'limit=3')
    const by = { id: team.adminId, type: 'human', name: 'Ada Admin' }
    expect(log.data[0]).toEqual({
      id: expect.any(String),
      action: 'campaign.archive',
      actor: by,
      impersonating: null,
      assistant: null,
      consent: null,
      tenantId: team.tenantId,
      requestId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      surface: 'dashboard',
      method: 'DELETE',
      path: `/dashboard/v1/campaigns/${id}`,
      resourceType: 'campaign',
      resourceId: id,
      before: expect.objectContaining({ name: 'Summer' }),
      after: expect.objectContaining({ name: 'Summer', status: 'archived' }),
      status: 204,
      durationMs: expect.any(Number),
      createdOn: expect.any(String),
    })
    expect(log.data.slice(1)).toMatchObject([
      { action: 'campaign.change', before: { name: 'Spring' }, after: { name: 'Summer' }, status: 200 },
      { action: 'campaign.create', before: null, after: { name: 'Spring' }, status: 201 },
    ])
    expect(log.pagination).toEqual({ hasMore: true, nextCursor: log.data[2].id })
    const rest = await logOf(operator, team.tenantId, `cursor=${log.pagination.nextCursor}`)
    expect(actions(rest)).toEqual(expect.arrayContaining(['auth.login', 'user.create', 'tenant.created']))
    expect(rest.pagination.hasMore).toBe(false)
    const everything = JSON.stringify([log, rest])
    for (const secret of [foreign.id, neighbour.tenantId, neighbour.adminId])
      expect(everything).not.toContain(secret)
  })

  it('filters by actor and action, in both orders', async () => {
    await using harness = await createAgentHarness()
    const { app, team } = harness
    const operator = await createOperator(app)
    const agent = await harness.order()
    await agent.deliver('A post about oats')
    const byAgents = await logOf(operator, team.tenantId, 'filter.actorType=agent')
    expect(byAgents.data).toMatchObject([
      { actor: { id: `agent:${agent.runId}`, type: 'agent', name: null }, surface: 'agent' },
    ])
    const byPeople = await logOf(operator, team.tenantId, 'filter.actorType=human&limit=100')
    expect(new Set(byPeople.data.map(({ actor }: { actor: { type: string } }) => actor.type))).toEqual(
      new Set(['human']),
    )
    expect(actions(await logOf(operator, team.tenantId, 'filter.action=campaign.create'))).toEqual([
      'campaign.create',
    ])
    expect(await logOf(operator, team.tenantId, 'filter.action=nothing')).toMatchObject({ data: [] })
    const all = await logOf(operator, team.tenantId, 'limit=100')
    const turned = await logOf(operator, team.tenantId, 'limit=100&order=asc')
    expect(actions(turned)).toEqual(actions(all).toReversed())
  })

  it('rejects invalid filters and unknown tenants', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['cursor=x', 'cursor'],
      ['filter.actorType=robot', 'filter.actorType'],
    ] as const) {
      const answer = await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?${query}`)
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field })
    }
    const unknown = await operator.send('GET', `/admin/v1/tenants/${unknownId}/audit-log`)
    expect(unknown).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('an audit record', () => {
  it('has the endpoint id as label when there is no other, and is written for every write', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    await sendTo(app, 'POST', '/auth/v1/refresh', { body: { refreshToken: operator.refreshToken } })
    expect(await recordOf(app, 'auth.refresh')).toMatchObject({
      surface: 'auth',
      method: 'POST',
      path: '/auth/v1/refresh',
      status: 200,
    })
    const { admin } = await app.team()
    const { id: campaignId } = await admin.call('dashboard', 'POST /campaigns', { body: brief })
    const archive = () => admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params: { campaignId } })
    await archive()
    await archive()
    const twice = await app.db.sql.all(`select * from audit_records where action = 'campaign.archive'`)
    expect(twice).toHaveLength(2)
  })

  it('is not written for rejected requests and reads', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const count = async () => (await app.db.sql.all('select id from audit_records')).length
    const before = await count()
    for (const path of [
      'tenants',
      `tenants/${tenantId}`,
      `tenants/${tenantId}/audit-log`,
      'users',
      'api-keys',
    ])
      expect((await operator.send('GET', `/admin/v1/${path}`)).status).toBe(200)
    expect((await operator.send('POST', `/admin/v1/tenants/${tenantId}/reinstate`)).status).toBe(409)
    expect((await operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, { name: '' })).status).toBe(400)
    expect(await count()).toBe(before)
  })

  it('never contains a secret, even when a service does not remove it', async () => {
    await using app = await createTestApp({ worker: false })
    const { tenantId } = await app.team()
    await using assembled = await parts(app)
    const secrets = [
      'hunter2-hunter2',
      'cdk_live_abcdefghijklmnopqrstuvwxyz012345',
      'a-sealed-value',
      'Bearer abcdef',
    ]
    await transact(assembled.adminOf(tenantId), async (txn) => {
      txn.audit({
        tenantId,
        resourceType: 'thing',
        before: { password: secrets[0], deep: [{ apiKey: secrets[2] }], text: `key ${secrets[1]}` },
        after: { name: 'Kept', authorization: secrets[3], inputTokens: 7 },
        action: 'thing.test',
      })
    })
    const record = await recordOf(app, 'thing.test')
    const text = JSON.stringify(record)
    for (const secret of secrets) expect(text).not.toContain(secret)
    const after = typeof record?.after === 'string' ? JSON.parse(record.after) : record?.after
    expect(after).toMatchObject({ name: 'Kept', inputTokens: 7 })
  })
})
