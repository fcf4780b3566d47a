import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { startAnthropicLike } from '../../kit/model-servers.ts'
import { type Agent, type AgentHarness, createAgentHarness, pricedModel } from '../../kit/runtime.ts'

const open = (harness: AgentHarness) =>
  harness.app.db.sql.all<{ id: string; status: string; not_before: Date | string | number }>(
    'select id, status, not_before from runs where open = ?',
    [true],
  )

/** Milliseconds until the only waiting run may start. */
async function waitOf(harness: AgentHarness, now: number): Promise<number> {
  const runs = await open(harness)
  expect(runs.map(({ status }) => status)).toEqual(['pending'])
  return new Date(runs[0]?.not_before ?? Number.NaN).getTime() - now
}

const told = (harness: AgentHarness, userId: string) =>
  harness.count(
    `select count(*) as n from notifications where type = 'activity_failed' and user_id = ?`,
    userId,
  )

describe('a failed run', () => {
  it('is retried with exponential backoff, and fails its activity after the last attempt', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    let agent: Agent = await harness.order()
    const first = agent.runId
    for (const wait of [2_000, 4_000, 8_000]) {
      await agent.fail('Overloaded', { family: 'transient' })
      expect(await harness.run(agent.runId)).toMatchObject({ status: 'failed', error_family: 'transient' })
      expect(await waitOf(harness, clock.now())).toBe(wait)
      expect((await harness.activityOf(first)).status).toBe('assigned')
      agent = await harness.next(clock)
      expect(agent.dispatch.wakeReason).toBe('retry')
    }
    expect(await told(harness, harness.team.adminId)).toBe(0)
    await agent.fail('Overloaded', { family: 'transient' })
    expect(await harness.activityOf(first)).toMatchObject({ status: 'failed', failure_reason: 'Overloaded' })
    expect(await open(harness)).toEqual([])
    expect(await told(harness, harness.team.adminId)).toBe(1)
    expect(
      await harness.count(`select count(*) as n from notifications where type = 'activity_failed'`),
    ).toBe(1)
    expect(await harness.count(`select count(*) as n from event where type = 'activity_failed'`)).toBe(1)
  })

  it('is final at once unless its family is transient or quota, and the admins are notified', async () => {
    await using harness = await createAgentHarness()
    const finals = [
      { family: 'auth' },
      { family: 'refusal' },
      { family: 'invalid' },
      { family: 'odd' },
      undefined,
    ]
    for (const metadata of finals) {
      const agent = await harness.order()
      await agent.fail('No', metadata)
      expect((await harness.activityOf(agent.runId)).status).toBe('failed')
    }
    expect(await open(harness)).toEqual([])
    expect(await told(harness, harness.team.adminId)).toBe(finals.length)
  })

  it('resets its attempts after a success', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    let agent: Agent = await harness.order()
    for (let tries = 0; tries < 3; tries += 1) {
      await agent.fail('Overloaded', { family: 'transient' })
      agent = await harness.next(clock)
    }
    await agent.deliver('At last')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'rejected', note: 'Shorter' },
    })
    agent = await harness.next(clock)
    await agent.fail('Overloaded', { family: 'transient' })
    expect(await waitOf(harness, clock.now())).toBe(2_000)
    // What the reviewer said is not lost with the run that was told.
    agent = await harness.next(clock)
    expect(await agent.call('GET /runs/:runId/context')).toMatchObject({
      wakeReason: 'retry',
      rejectionNote: 'Shorter',
      priorOutput: 'At last',
    })
  })

  it('passes a comment made during the run to the next attempt', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: (await harness.activityOf(agent.runId)).id },
      body: { text: '@agent:social_writer mention the oats' },
    })
    await agent.fail('Overloaded', { family: 'transient' })
    const again = await harness.next(clock)
    expect(again.dispatch.prompt).toContain('mention the oats')
  })
})

describe('a quota failure', () => {
  it('is retried after the delay that the runtime reports, which a mention does not shorten', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await agent.fail('Come back later', { family: 'quota', retryAfterMs: 90_000 })
    expect(await waitOf(harness, clock.now())).toBe(90_000)
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: (await harness.activityOf(agent.runId)).id },
      body: { text: '@agent:social_writer please hurry' },
    })
    expect(await waitOf(harness, clock.now())).toBe(90_000)
    // Other work of the same agent passes meanwhile: runs were looked for, and the waiting one was left.
    clock.advance(89_000)
    const other = await harness.order()
    expect(other.dispatch.wakeReason).toBe('new_task')
    expect((await open(harness)).map(({ status }) => status).toSorted()).toEqual(['pending', 'running'])
    const again = await harness.next(clock)
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
    await using harness = await createAgentHarness({
      clock,
      providers: [
        { id: 'hosted', type: 'hosted_a', apiKey: 'k', baseUrl: server.url, models: [pricedModel] },
      ],
    })
    await harness.configure({ adapterType: 'local' })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n from runs where error_family = 'quota'`)) === 1,
      'the quota is used up',
    )
    expect(await waitOf(harness, clock.now())).toBe(120_000)
  })
})

describe('a runtime', () => {
  it('that is down is retried; one that rejects the secret is not', async () => {
    const clock = createTestClock()
    const answers = [503, 202, 401]
    await using harness = await createAgentHarness({ clock, answer: () => answers.shift() ?? 500 })
    const ordered = harness.order()
    await harness.app.until(async () => {
      clock.advance(500)
      return answers.length === 1
    }, 'the runtime was asked twice')
    const agent = await ordered
    expect(agent.dispatch.wakeReason).toBe('retry')
    await agent.deliver('A post')
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Summer', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await harness.app.until(
      async () => (await told(harness, harness.team.adminId)) === 1,
      'the admin is told',
    )
    expect(
      await harness.count(
        `select count(*) as n from tenant_agents where role = 'social_writer' and status = 'error'`,
      ),
    ).toBe(1)
    expect(await open(harness)).toEqual([])
  })
})
