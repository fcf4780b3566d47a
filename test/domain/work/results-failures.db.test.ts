import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { startAnthropicLike } from '../../kit/model-servers.ts'
import { type Agent, type AgentHarness, createAgentHarness, pricedModel } from '../../kit/runtime.ts'

const open = (desk: AgentHarness) =>
  desk.app.db.sql.all<{ id: string; status: string; not_before: Date | string | number }>(
    'select id, status, not_before from runs where open = ?',
    [true],
  )

/** Milliseconds until the only waiting run may start. */
async function waitOf(desk: AgentHarness, now: number): Promise<number> {
  const runs = await open(desk)
  expect(runs.map(({ status }) => status)).toEqual(['pending'])
  return new Date(runs[0]?.not_before ?? Number.NaN).getTime() - now
}

const told = (desk: AgentHarness, userId: string) =>
  desk.count(`select count(*) as n from notifications where type = 'activity_failed' and user_id = ?`, userId)

describe('a failed run', () => {
  it('is retried with exponential backoff, and fails its activity after the last attempt', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    let agent: Agent = await desk.order()
    const first = agent.runId
    for (const wait of [2_000, 4_000, 8_000]) {
      await agent.fail('Overloaded', { family: 'transient' })
      expect(await desk.run(agent.runId)).toMatchObject({ status: 'failed', error_family: 'transient' })
      expect(await waitOf(desk, clock.now())).toBe(wait)
      expect((await desk.activityOf(first)).status).toBe('assigned')
      agent = await desk.next(clock)
      expect(agent.dispatch.wakeReason).toBe('retry')
    }
    expect(await told(desk, desk.team.adminId)).toBe(0)
    await agent.fail('Overloaded', { family: 'transient' })
    expect(await desk.activityOf(first)).toMatchObject({ status: 'failed', failure_reason: 'Overloaded' })
    expect(await open(desk)).toEqual([])
    expect(await told(desk, desk.team.adminId)).toBe(1)
    expect(await desk.count(`select count(*) as n from notifications where type = 'activity_failed'`)).toBe(1)
    expect(await desk.count(`select count(*) as n from event where type = 'activity_failed'`)).toBe(1)
  })

  it('is final at once unless its family is transient or quota, and the admins are notified', async () => {
    await using desk = await createAgentHarness()
    const finals = [
      { family: 'auth' },
      { family: 'refusal' },
      { family: 'invalid' },
      { family: 'odd' },
      undefined,
    ]
    for (const metadata of finals) {
      const agent = await desk.order()
      await agent.fail('No', metadata)
      expect((await desk.activityOf(agent.runId)).status).toBe('failed')
    }
    expect(await open(desk)).toEqual([])
    expect(await told(desk, desk.team.adminId)).toBe(finals.length)
  })

  it('resets its attempts after a success', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    let agent: Agent = await desk.order()
    for (let tries = 0; tries < 3; tries += 1) {
      await agent.fail('Overloaded', { family: 'transient' })
      agent = await desk.next(clock)
    }
    await agent.deliver('At last')
    const { data } = await desk.team.reviewer.call('dm', 'GET /approvals')
    await desk.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'rejected', note: 'Shorter' },
    })
    agent = await desk.next(clock)
    await agent.fail('Overloaded', { family: 'transient' })
    expect(await waitOf(desk, clock.now())).toBe(2_000)
    // What the reviewer said is not lost with the run that was told.
    agent = await desk.next(clock)
    expect(await agent.call('GET /runs/:runId/context')).toMatchObject({
      wakeReason: 'retry',
      rejectionNote: 'Shorter',
      priorOutput: 'At last',
    })
  })

  it('passes a comment made during the run to the next attempt', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    const agent = await desk.order()
    await desk.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: (await desk.activityOf(agent.runId)).id },
      body: { text: '@agent:social_writer mention the oats' },
    })
    await agent.fail('Overloaded', { family: 'transient' })
    const again = await desk.next(clock)
    expect(again.dispatch.prompt).toContain('mention the oats')
  })
})

describe('a quota failure', () => {
  it('is retried after the delay that the runtime reports, which a mention does not shorten', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    const agent = await desk.order()
    await agent.fail('Come back later', { family: 'quota', retryAfterMs: 90_000 })
    expect(await waitOf(desk, clock.now())).toBe(90_000)
    await desk.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: (await desk.activityOf(agent.runId)).id },
      body: { text: '@agent:social_writer please hurry' },
    })
    expect(await waitOf(desk, clock.now())).toBe(90_000)
    // Other work of the same agent passes meanwhile: runs were looked for, and the waiting one was left.
    clock.advance(89_000)
    const other = await desk.order()
    expect(other.dispatch.wakeReason).toBe('new_task')
    expect((await open(desk)).map(({ status }) => status).toSorted()).toEqual(['pending', 'running'])
    const again = await desk.next(clock)
    expect(again.dispatch.prompt).toContain('please hurry')
  })

  it('is retried after the delay that the model provider reports', async () => {
    const clock = createTestClock()
    await using server = await startAnthropicLike([
      {
        status: 429,
        headers: { 'retry-after': '120' },
        failure: { type: 'rate_limit_error', message: 'slow down' },
      },
    ])
    await using desk = await createAgentHarness({
      clock,
      providers: [
        { id: 'hosted', type: 'hosted_a', apiKey: 'k', baseUrl: server.url, models: [pricedModel] },
      ],
    })
    await desk.configure({ adapterType: 'local' })
    await desk.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await desk.app.until(
      async () => (await desk.count(`select count(*) as n from runs where error_family = 'quota'`)) === 1,
      'the quota is used up',
    )
    expect(await waitOf(desk, clock.now())).toBe(120_000)
  })
})

describe('a runtime', () => {
  it('that is down is retried; one that rejects the secret is not', async () => {
    const clock = createTestClock()
    const answers = [503, 202, 401]
    await using desk = await createAgentHarness({ clock, answer: () => answers.shift() ?? 500 })
    const ordered = desk.order()
    await desk.app.until(async () => {
      clock.advance(500)
      return answers.length === 1
    }, 'the runtime was asked twice')
    const agent = await ordered
    expect(agent.dispatch.wakeReason).toBe('retry')
    await agent.deliver('A post')
    await desk.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Summer', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await desk.app.until(async () => (await told(desk, desk.team.adminId)) === 1, 'the admin is told')
    expect(
      await desk.count(
        `select count(*) as n from tenant_agents where role = 'social_writer' and status = 'error'`,
      ),
    ).toBe(1)
    expect(await open(desk)).toEqual([])
  })
})
