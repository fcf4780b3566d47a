import { describe, expect, it } from 'vitest'
import { place } from '../../domain/work/budgets.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const queue = async (harness: AgentHarness, role: string) => {
  const operator = await createOperator(harness.app, `olga.${Math.random()}@test.example`)
  const { status, json } = await operator.send('GET', '/admin/v1/system/queues')
  expect(status).toBe(200)
  return json.data.filter((row: { agentRole: string }) => row.agentRole === role)
}

/** Lets a run of a new post fail until it is given up. @returns its id */
async function giveUp(harness: AgentHarness, error = 'No'): Promise<string> {
  const agent = await harness.order()
  await agent.fail(error, { family: 'refusal' })
  return agent.runId
}

describe('admin.system.queues', () => {
  it('counts queued, running, retrying, failed and dead runs by tenant and agent', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 2 }, ['social_writer'])
    await giveUp(harness)
    await (await harness.order()).fail('Overloaded', { family: 'transient', retryAfterMs: 600_000 })
    await place(harness, 5)
    await harness.next(clock)
    await harness.next(clock)
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n from runs where status = 'pending'`)) === 4,
      'the others wait',
    )
    const born = await harness.app.db.sql.get<{ at: Date | number }>(
      `select min(not_before) as at from runs where status = 'pending' and not_before <= ?`,
      [clock.date()],
    )
    clock.advance(90_000)
    const [row] = await queue(harness, 'social_writer')
    expect(row).toEqual({
      tenantId: harness.team.tenantId,
      tenantName: 'Tenant 1',
      agentRole: 'social_writer',
      waiting: 3,
      active: 2,
      delayed: 1,
      failed: 2,
      deadLettered: 1,
      paused: false,
      oldestWaitingAgeS: Math.floor((clock.now() - new Date(born?.at ?? 0).getTime()) / 1_000),
    })
    // Another agent of the same tenant, and one of another, have queues of their own.
    await harness.app.team('Neighbour')
    const all = [...(await queue(harness, 'blog_writer')), ...(await queue(harness, 'social_writer'))]
    const others = all.filter(
      (other) => other.tenantName === 'Neighbour' || other.agentRole === 'blog_writer',
    )
    expect(others).toHaveLength(3)
    for (const other of others)
      expect(other).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0, deadLettered: 0 })
  })

  it('marks queues that do not start runs: of a paused agent, of a suspended tenant', async () => {
    await using harness = await createAgentHarness()
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'paused' where role = 'social_writer'`),
    )
    expect(await queue(harness, 'social_writer')).toMatchObject([{ paused: true, oldestWaitingAgeS: null }])
    expect(await queue(harness, 'blog_writer')).toMatchObject([{ paused: false }])
    await harness.app.copydesk.asSystem().tenants.suspend(harness.team.tenantId, 'a test')
    expect(await queue(harness, 'blog_writer')).toMatchObject([{ paused: true }])
  })
})

describe('admin.system.errors', () => {
  it('lists a dead run with the error of each attempt', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    let agent: Agent = await harness.order()
    const first = agent.runId
    const history: object[] = []
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const error = `Overloaded ${attempt}`
      history.push({ attempt: 1, at: clock.date().toISOString(), error, family: 'transient' })
      await agent.fail(error, { family: 'transient' })
      if (attempt < 4) agent = await harness.next(clock)
    }
    const operator = await createOperator(harness.app)
    const { json } = await operator.send('GET', '/admin/v1/system/errors')
    const { id: activityId } = await harness.activityOf(first)
    expect(json).toEqual({
      data: [
        {
          id: agent.runId,
          kind: 'run',
          name: 'social_writer',
          tenantId: harness.team.tenantId,
          tenantName: 'Tenant 1',
          agentRole: 'social_writer',
          activityId,
          activityTitle: expect.any(String),
          message: 'Overloaded 4',
          family: 'transient',
          history,
          failedAt: clock.date().toISOString(),
          createdOn: expect.any(String),
        },
      ],
      pagination: { hasMore: false, nextCursor: null },
    })
    // Tried again it is no dead letter any more; given up once more, it is one with a history of its own.
    await harness.app.copydesk.asSystem().system.retry(agent.runId)
    expect((await operator.send('GET', '/admin/v1/system/errors')).json.data).toEqual([])
    agent = await harness.next(clock)
    expect(agent.dispatch.wakeReason).toBe('retry')
    await agent.fail('Never', { family: 'refusal' })
    const again = await operator.send('GET', '/admin/v1/system/errors')
    expect(again.json.data).toMatchObject([
      { id: agent.runId, history: [{ error: 'Never', family: 'refusal' }] },
    ])
    expect(again.json.data[0].history).toHaveLength(1)
  })

  it('lists jobs and runs in one order, page by page; filters exclude other tenants and agents', async () => {
    await using harness = await createAgentHarness({ allowErrors: true })
    const operator = await createOperator(harness.app)
    const ids = [await giveUp(harness, 'one')]
    await harness.app.db.write((tx) =>
      tx.run(`update activity_templates set steps = '[]' where deliverable_type = 'email_newsletter'`),
    )
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Broken', brief: 'Oats', deliverables: [{ type: 'email_newsletter', quantity: 1 }] },
    })
    await harness.app.db.write((tx) => tx.run(`update job set max_attempts = 1 where kind = 'campaign.plan'`))
    const job = await harness.app.until(
      () => harness.app.db.sql.get<{ id: string }>(`select id from job where status = 'dead'`),
      'the job is given up',
    )
    ids.push(job.id, await giveUp(harness, 'three'))
    const list = async (query = '') =>
      (await operator.send('GET', `/admin/v1/system/errors${query}`)).json as {
        data: Array<{ id: string; kind: string; message: string; tenantName: string; history: unknown[] }>
        pagination: { hasMore: boolean; nextCursor: string }
      }
    const newest = ids.toReversed()
    expect((await list()).data.map(({ id }) => id)).toEqual(newest)
    expect((await list('?order=asc')).data.map(({ id }) => id)).toEqual(ids)
    const paged: string[] = []
    let query = '?limit=1'
    for (let more = true; more; ) {
      const { data, pagination } = await list(query)
      paged.push(...data.map(({ id }) => id))
      more = pagination.hasMore
      query = `?limit=1&cursor=${pagination.nextCursor}`
    }
    expect(paged).toEqual(newest)
    const [, middle] = (await list()).data
    expect(middle).toMatchObject({
      kind: 'job',
      name: 'campaign.plan',
      tenantName: 'Tenant 1',
      agentRole: null,
    })
    expect(middle?.message).toMatch(/has no steps/)
    expect(middle).not.toHaveProperty('payload')
    expect((await list('?filter.agentRole=social_writer')).data.map(({ kind }) => kind)).toEqual([
      'run',
      'run',
    ])
    expect((await list('?filter.agentRole=blog_writer')).data).toEqual([])
    expect((await list(`?filter.tenantId=${harness.team.tenantId}`)).data).toHaveLength(3)
    const other = await harness.app.team('Neighbour')
    expect((await list(`?filter.tenantId=${other.tenantId}`)).data).toEqual([])
    // What its tenant can see is no more than what is its own.
    const own = harness.app.copydesk.asSystem({ tenantId: other.tenantId })
    expect((await own.system.deadLetters()).data).toEqual([])
    await expect(own.system.retry(job.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('retries a job that is fixed, with an audit record, and completes it', async () => {
    await using harness = await createAgentHarness({ allowErrors: true })
    const { admin } = harness.team
    const steps = await harness.app.db.sql.get<{ steps: unknown }>(
      `select steps from activity_templates where deliverable_type = 'social_post'`,
    )
    const setSteps = (value: string) =>
      harness.app.db.write((tx) =>
        tx.run(`update activity_templates set steps = ? where deliverable_type = 'social_post'`, [value]),
      )
    await setSteps('[]')
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await harness.app.db.write((tx) => tx.run(`update job set max_attempts = 1 where kind = 'campaign.plan'`))
    await harness.app.until(
      () => harness.app.db.sql.get(`select id from job where status = 'dead'`),
      'the job is given up',
    )
    await setSteps(typeof steps?.steps === 'string' ? steps.steps : JSON.stringify(steps?.steps))
    const { system, audit } = harness.app.copydesk.asSystem()
    const [letter] = (await system.deadLetters()).data
    const id = letter?.id ?? ''
    expect(await system.retry(id)).toEqual({ kind: 'job', id, name: 'campaign.plan' })
    expect((await harness.next()).dispatch.agentRole).toBe('social_writer')
    expect((await audit.list({ 'filter.action': 'system.retry' })).data).toMatchObject([{ resourceId: id }])
    await expect(system.retry(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
