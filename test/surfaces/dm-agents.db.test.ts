import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox, neighbourOf } from '../domain/acting.ts'
import { createDesk, type Desk } from '../kit/runtime.ts'
import { addReviewer, refused, sweepOf } from './steering.ts'

let desk: Desk
let theirs: Awaited<ReturnType<typeof neighbourOf>>
let both: Client

beforeAll(async () => {
  desk = await createDesk()
  theirs = await neighbourOf(desk)
  both = (await addReviewer(desk.app, 'both', [desk.team.tenantId, theirs.tenantId])).client
  await desk.configure({ concurrency: 5 })
})
afterAll(() => desk[Symbol.asyncDispose]())

/** What a reviewer does to an agent of ours. */
const steer = (agentRole: string, reviewer = desk.team.reviewer, tenantId = desk.team.tenantId) => {
  const params = { tenantId, agentRole }
  return {
    see: () => reviewer.call('dm', 'GET /agents/:tenantId/:agentRole', { params }),
    pause: (body = {}) => reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/pause', { params, body }),
    resume: () => reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/resume', { params }),
    clear: (body = {}) =>
      reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/clear-error', { params, body }),
  }
}

const run = (role: string, body: object, reviewer = desk.team.reviewer) =>
  reviewer.call('dm', 'POST /agents/:role/run', {
    params: { role },
    body: { tenantId: desk.team.tenantId, prompt: 'Say hello', ...body },
  })

describe('dm.agents.list', () => {
  it('shows the agents of all assigned tenants, of one when it is named, and by role and status', async () => {
    const { data } = await both.call('dm', 'GET /agents')
    expect(new Set(data.map(({ tenantId }) => tenantId))).toEqual(
      new Set([desk.team.tenantId, theirs.tenantId]),
    )
    const ours = data.filter(({ tenantId }) => tenantId === desk.team.tenantId)
    expect((await desk.team.reviewer.call('dm', 'GET /agents')).data).toEqual(ours)
    const { tenantId } = desk.team
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
    await expect(desk.team.reviewer.call('dm', 'GET /agents', named)).rejects.toMatchObject({ status: 403 })

    const agent = await desk.order()
    const busy = await both.call('dm', 'GET /agents', { query: { 'filter.status': 'running' } })
    expect(busy.data).toMatchObject([{ role: 'social_writer', tenantId, runningCount: 1 }])
    await agent.deliver('A post')
  })
})

describe('dm.agents.get', () => {
  it('shows how an agent works, what waits for it and what it did last, and of secrets that they are there', async () => {
    const agent = await desk.order()
    await agent.deliver('A post')
    const shown = await steer('social_writer').see()
    expect(shown).toMatchObject({
      tenantId: desk.team.tenantId,
      tenantName: 'Tenant 1',
      role: 'social_writer',
      status: 'active',
      queueDepth: 0,
      concurrency: 5,
    })
    expect(shown.recentRuns[0]).toMatchObject({ runId: agent.runId, status: 'completed' })
    expect(shown.recentRuns.every(({ tenantId }) => tenantId === desk.team.tenantId)).toBe(true)
    expect(JSON.stringify(shown)).not.toContain('the secret')
    await expect(steer('astrologer').see()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    for (const tenantId of [theirs.tenantId, '01HZZZZZZZZZZZZZZZZZZZZZZZ'])
      await expect(steer('social_writer', desk.team.reviewer, tenantId).see()).rejects.toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      })
  })
})

describe('dm.agents.pause', () => {
  it('holds work back over a restart while the turn under way ends; resumed, the agent takes it up', async () => {
    const agent = await desk.order()
    const it = steer('social_writer')
    expect(await it.pause({ reason: 'Wrong tone' })).toMatchObject({
      role: 'social_writer',
      status: 'paused',
      runningCount: 1,
    })
    await agent.deliver('A post')
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_approval')
    const { runId } = await run('social_writer', { title: 'Held' })
    const neighbour = await theirs.order()
    // Another process that starts now is told nothing but what the database says.
    await desk.app.another()
    const other = await run('researcher', {})
    expect((await desk.next()).runId).toBe(other.runId)
    expect(await desk.run(runId)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await it.see()).toMatchObject({ status: 'paused', queueDepth: 1, runningCount: 0 })
    const { data } = await desk.team.reviewer.call('dm', 'GET /agents/queues')
    expect(data.find(({ agentRole }) => agentRole === 'social_writer')).toMatchObject({
      paused: true,
      waiting: 1,
    })
    expect(await sweepOf(desk)).toEqual([])

    expect(await it.resume()).toMatchObject({ status: expect.stringMatching(/active|running/) as string })
    const next = await desk.next()
    expect(next.runId).toBe(runId)
    await next.deliver('Hello')
    await neighbour.deliver('A post of theirs')
  })

  it('is refused twice, and so are a resume of what is not paused and what is not there', async () => {
    const it = steer('analyst')
    expect(await refused(desk, () => it.resume())).toBe('422 UNPROCESSABLE')
    await it.pause()
    expect(await refused(desk, () => it.pause())).toBe('422 UNPROCESSABLE')
    await it.resume()
    const foreign = steer('analyst', desk.team.reviewer, theirs.tenantId)
    for (const [there, refusal] of [
      [steer('astrologer'), '404 NOT_FOUND'],
      [foreign, '403 FORBIDDEN'],
    ] as const)
      for (const act of [there.pause, there.resume, there.clear])
        expect(await refused(desk, () => act())).toBe(refusal)
    expect(await steer('analyst', both, theirs.tenantId).see()).toMatchObject({ status: 'active' })
  })

  it('by people outlives a suspension of the tenant, and is not lifted during one', async () => {
    const system = desk.app.copydesk.asSystem()
    const it = (agentRole: string) => steer(agentRole, both, theirs.tenantId)
    await it('analyst').pause()
    await system.tenants.suspend(theirs.tenantId, 'Unpaid')
    expect(await refused(desk, () => it('researcher').resume())).toBe('422 UNPROCESSABLE')
    await system.tenants.reinstate(theirs.tenantId)
    expect(await it('analyst').see()).toMatchObject({ status: 'paused' })
    expect(await it('researcher').see()).toMatchObject({ status: 'active' })
    await it('analyst').resume()
  })
})

describe('dm.agents.clear_error', () => {
  it('puts an agent that could not work at the ready again, and is refused where there is no error', async () => {
    const it = steer('social_writer')
    expect(await refused(desk, () => it.clear())).toBe('422 UNPROCESSABLE')
    const agent = await desk.order()
    await agent.fail('The key is refused', { family: 'auth' })
    const query = { 'filter.status': 'error' } as const
    expect((await both.call('dm', 'GET /agents', { query })).data).toMatchObject([
      { role: 'social_writer', status: 'error', lastErrorMessage: 'The key is refused' },
    ])
    const { lastErrorAt, lastErrorMessage, ...cleared } = await it.clear({ note: 'A new key is in' })
    expect({ lastErrorAt, lastErrorMessage }).toEqual({})
    expect(cleared.status).toBe('active')
    const records = await desk.app.db.sql.all<{ action: string; after: unknown }>(
      `select action, after from audit_records where action = 'agent.clear_error'`,
    )
    expect(JSON.stringify(records)).toContain('A new key is in')
  })

  it('leaves a paused agent paused', async () => {
    const it = steer('social_writer')
    const agent = await desk.order()
    await it.pause()
    await agent.fail('The key is refused', { family: 'auth' })
    expect(await it.clear()).toMatchObject({ status: 'paused' })
    expect(await it.resume()).toMatchObject({ status: 'active' })
  })
})

describe('dm.agents.run', () => {
  it('gives an agent a task of its own, which ends by itself and is told to the admins', async () => {
    const { activityId, runId } = await run('researcher', {
      prompt: 'Find oats\n\nAll of them',
      priority: 'high',
    })
    const agent = await desk.next()
    expect(agent.runId).toBe(runId)
    expect(agent.dispatch).toMatchObject({ agentRole: 'researcher', wakeReason: 'manual' })
    expect(agent.dispatch.prompt).toContain('All of them')
    await agent.deliver('Oats, all of them')
    const params = { activityId }
    expect(await desk.team.reviewer.call('dm', 'GET /activities/:activityId', { params })).toMatchObject({
      title: 'Find oats',
      status: 'done',
      campaign: null,
      outputPreview: 'Oats, all of them',
    })
    expect(await inbox(desk, 'activity_completed')).toContainEqual(
      expect.objectContaining({ title: 'Done: Find oats', user_id: desk.team.adminId }),
    )
  })

  it('belongs to a campaign of the tenant, when one is named that goes on', async () => {
    const agent = await desk.order()
    const { campaignId } = agent
    await agent.deliver('A post')
    const { activityId } = await run('researcher', { campaignId, title: 'More' })
    const more = await desk.next()
    expect(await desk.activityOf(more.runId)).toMatchObject({
      id: activityId,
      campaign_id: campaignId,
      title: 'More',
    })
    await more.deliver('Facts')
    const params = { campaignId }
    const status = (to: 'paused' | 'active') =>
      desk.team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params, body: { status: to } })
    await status('paused')
    expect(await refused(desk, () => run('researcher', { campaignId }))).toBe('422 UNPROCESSABLE campaignId')
    await status('active')
    const foreign = await desk.app.db.sql.get<{ id: string }>(
      'select id from campaigns where tenant_id = ?',
      [theirs.tenantId],
    )
    expect(await refused(desk, () => run('researcher', { campaignId: foreign?.id }))).toBe('404 NOT_FOUND')
  })

  it('is refused for a tenant that is not assigned, and for a role that the tenant does not have', async () => {
    for (const tenantId of [theirs.tenantId, '01HZZZZZZZZZZZZZZZZZZZZZZZ'])
      expect(await refused(desk, () => run('researcher', { tenantId }))).toBe('403 FORBIDDEN')
    expect(await refused(desk, () => run('astrologer', {}))).toBe('404 NOT_FOUND')
    expect(await refused(desk, () => run('researcher', { prompt: '' }))).toBe('400 VALIDATION_ERROR prompt')
  })
})

describe('dm.agents.queues', () => {
  it('shows the queues of the assigned tenants, or of the one that is named', async () => {
    const all = (await both.call('dm', 'GET /agents/queues')).data
    const tenantsIn = (rows: typeof all) => [...new Set(rows.map(({ tenantId }) => tenantId))].toSorted()
    expect(tenantsIn(all)).toEqual([desk.team.tenantId, theirs.tenantId].toSorted())
    const query = { tenantId: theirs.tenantId }
    expect(tenantsIn((await both.call('dm', 'GET /agents/queues', { query })).data)).toEqual([
      theirs.tenantId,
    ])
    expect(tenantsIn((await desk.team.reviewer.call('dm', 'GET /agents/queues')).data)).toEqual([
      desk.team.tenantId,
    ])
  })
})
