import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox, neighbourOf } from '../../domain/agent-harness.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { addReviewer, refused, steerAgent } from '../steering.ts'

let harness: AgentHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>
let both: Client

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await neighbourOf(harness)
  both = (await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])).client
  await harness.configure({ concurrency: 5 })
})
afterAll(() => harness[Symbol.asyncDispose]())

/** What a reviewer does to an agent of ours. */
const steer = (agentRole: string, reviewer = harness.team.reviewer, tenantId = harness.team.tenantId) =>
  steerAgent(reviewer, tenantId, agentRole)

const run = (role: string, body: object, reviewer = harness.team.reviewer) =>
  reviewer.call('dm', 'POST /agents/:role/run', {
    params: { role },
    body: { tenantId: harness.team.tenantId, prompt: 'Say hello', ...body },
  })

describe('dm.agents.list', () => {
  it('lists the agents of all assigned tenants, or of the named one, by role and status', async () => {
    const { data } = await both.call('dm', 'GET /agents')
    expect(new Set(data.map(({ tenantId }) => tenantId))).toEqual(
      new Set([harness.team.tenantId, theirs.tenantId]),
    )
    const ours = data.filter(({ tenantId }) => tenantId === harness.team.tenantId)
    expect((await harness.team.reviewer.call('dm', 'GET /agents')).data).toEqual(ours)
    const { tenantId } = harness.team
    expect((await both.call('dm', 'GET /agents', { query: { tenantId } })).data).toEqual(ours)
    const writers = await both.call('dm', 'GET /agents', { query: { 'filter.role': 'social_writer' } })
    expect(writers.data).toEqual(data.filter(({ role }) => role === 'social_writer'))
    expect(writers.data[0]).toMatchObject({
      tenantName: 'Tenant 1',
      status: 'active',
      runningCount: 0,
      queueDepth: 0,
    })
    const named = { query: { tenantId: theirs.tenantId } }
    await expect(harness.team.reviewer.call('dm', 'GET /agents', named)).rejects.toMatchObject({
      status: 403,
    })

    const agent = await harness.order()
    const busy = await both.call('dm', 'GET /agents', { query: { 'filter.status': 'running' } })
    expect(busy.data).toMatchObject([{ role: 'social_writer', tenantId, runningCount: 1 }])
    await agent.deliver('A post')
  })
})

describe('dm.agents.get', () => {
  it('returns settings, queue and latest runs of an agent, and hides the values of secrets', async () => {
    const agent = await harness.order()
    await agent.deliver('A post')
    const shown = await steer('social_writer').see()
    expect(shown).toMatchObject({
      tenantId: harness.team.tenantId,
      tenantName: 'Tenant 1',
      role: 'social_writer',
      status: 'active',
      queueDepth: 0,
      concurrency: 5,
    })
    expect(shown.recentRuns[0]).toMatchObject({ runId: agent.runId, status: 'completed' })
    expect(shown.recentRuns.every(({ tenantId }) => tenantId === harness.team.tenantId)).toBe(true)
    expect(JSON.stringify(shown)).not.toContain('the secret')
    await expect(steer('astrologer').see()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    for (const tenantId of [theirs.tenantId, '01HZZZZZZZZZZZZZZZZZZZZZZZ'])
      await expect(steer('social_writer', harness.team.reviewer, tenantId).see()).rejects.toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      })
  })
})

describe('dm.agents.clear_error', () => {
  it('returns an agent in error to idle, and rejects an agent without an error', async () => {
    const it = steer('social_writer')
    expect(await refused(harness, () => it.clear())).toBe('422 UNPROCESSABLE')
    const agent = await harness.order()
    await agent.fail('The key is refused', { family: 'auth' })
    const query = { 'filter.status': 'error' } as const
    expect((await both.call('dm', 'GET /agents', { query })).data).toMatchObject([
      { role: 'social_writer', status: 'error', lastErrorMessage: 'The key is refused' },
    ])
    const { lastErrorAt, lastErrorMessage, ...cleared } = await it.clear({ note: 'A new key is in' })
    expect({ lastErrorAt, lastErrorMessage }).toEqual({})
    expect(cleared.status).toBe('active')
    const records = await harness.app.db.sql.all<{ action: string; after: unknown }>(
      `select action, after from audit_records where action = 'agent.clear_error'`,
    )
    expect(JSON.stringify(records)).toContain('A new key is in')
  })

  it('rejects an unknown agent, and one of another tenant', async () => {
    expect(await refused(harness, () => steer('astrologer').clear())).toBe('404 NOT_FOUND')
    const foreign = steer('analyst', harness.team.reviewer, theirs.tenantId)
    expect(await refused(harness, () => foreign.clear())).toBe('403 FORBIDDEN')
  })

  it('keeps a paused agent paused', async () => {
    const it = steer('social_writer')
    const agent = await harness.order()
    await it.pause()
    await agent.fail('The key is refused', { family: 'auth' })
    expect(await it.clear()).toMatchObject({ status: 'paused' })
    expect(await it.resume()).toMatchObject({ status: 'active' })
  })
})

describe('dm.agents.run', () => {
  it('creates an activity outside of campaigns, which completes by itself and notifies the admins', async () => {
    const { activityId, runId } = await run('researcher', {
      prompt: 'Find oats\n\nAll of them',
      priority: 'high',
    })
    const agent = await harness.next()
    expect(agent.runId).toBe(runId)
    expect(agent.dispatch).toMatchObject({ agentRole: 'researcher', wakeReason: 'manual' })
    expect(agent.dispatch.prompt).toContain('All of them')
    await agent.deliver('Oats, all of them')
    const params = { activityId }
    expect(await harness.team.reviewer.call('dm', 'GET /activities/:activityId', { params })).toMatchObject({
      title: 'Find oats',
      status: 'done',
      campaign: null,
      outputPreview: 'Oats, all of them',
    })
    expect(await inbox(harness, 'activity_completed')).toContainEqual(
      expect.objectContaining({ title: 'Done: Find oats', user_id: harness.team.adminId }),
    )
  })

  it('adds the activity to the named campaign of the tenant when that is active', async () => {
    const agent = await harness.order()
    const { campaignId } = agent
    await agent.deliver('A post')
    const { activityId } = await run('researcher', { campaignId, title: 'More' })
    const more = await harness.next()
    expect(await harness.activityOf(more.runId)).toMatchObject({
      id: activityId,
      campaign_id: campaignId,
      title: 'More',
    })
    await more.deliver('Facts')
    const params = { campaignId }
    const status = (to: 'paused' | 'active') =>
      harness.team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params, body: { status: to } })
    await status('paused')
    expect(await refused(harness, () => run('researcher', { campaignId }))).toBe(
      '422 UNPROCESSABLE campaignId',
    )
    await status('active')
    const neighbour = await theirs.order()
    await neighbour.deliver('A post of theirs')
    const { campaign_id: foreign } = await harness.activityOf(neighbour.runId)
    expect(await refused(harness, () => run('researcher', { campaignId: foreign }))).toBe('404 NOT_FOUND')
  })

  it('rejects a tenant that is not assigned, and a role that the tenant does not have', async () => {
    for (const tenantId of [theirs.tenantId, '01HZZZZZZZZZZZZZZZZZZZZZZZ'])
      expect(await refused(harness, () => run('researcher', { tenantId }))).toBe('403 FORBIDDEN')
    expect(await refused(harness, () => run('astrologer', {}))).toBe('404 NOT_FOUND')
    expect(await refused(harness, () => run('researcher', { prompt: '' }))).toBe(
      '400 VALIDATION_ERROR prompt',
    )
  })
})

describe('dm.agents.queues', () => {
  it('lists the queues of the assigned tenants, or of the named one', async () => {
    const all = (await both.call('dm', 'GET /agents/queues')).data
    const tenantsIn = (rows: typeof all) => [...new Set(rows.map(({ tenantId }) => tenantId))].toSorted()
    expect(tenantsIn(all)).toEqual([harness.team.tenantId, theirs.tenantId].toSorted())
    const query = { tenantId: theirs.tenantId }
    expect(tenantsIn((await both.call('dm', 'GET /agents/queues', { query })).data)).toEqual([
      theirs.tenantId,
    ])
    expect(tenantsIn((await harness.team.reviewer.call('dm', 'GET /agents/queues')).data)).toEqual([
      harness.team.tenantId,
    ])
  })
})
