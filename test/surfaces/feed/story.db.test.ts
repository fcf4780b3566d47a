import { describe, expect, it } from 'vitest'
import { password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const feed = async ({ team: { admin } }: AgentHarness) =>
  (await admin.call('dashboard', 'GET /feed', {})).data

/** What the pipeline itself leaves behind, from the moment it needs someone to the moment it does no more. */
describe('a feed', () => {
  it('contains an approval until it is decided, and a failure until it is retried', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    expect(await feed(harness)).toEqual([])
    await agent.deliver('A post')
    const [question] = await feed(harness)
    expect(question).toMatchObject({ kind: 'approval', riskLevel: 'low', reason: 'Low risk: content review' })
    await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: question?.subject.id ?? '' },
      body: { resolution: 'rejected', note: 'No' },
    })
    expect(await feed(harness)).toEqual([])
    await (await harness.next()).fail('The model refuses', { family: 'refusal' })
    const [failure] = await feed(harness)
    expect(failure).toMatchObject({ kind: 'failed', reason: 'The model refuses' })
    const itemId = failure?.id ?? ''
    await harness.team.admin.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId } })
    expect(await feed(harness)).toEqual([])
    await harness.team.admin.call('dashboard', 'POST /activities/:activityId/retry', {
      params: { activityId: itemId },
    })
    await (await harness.next()).call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'insufficient_data',
      description: 'Which shops?',
    })
    // The same activity, and news of it.
    expect(await feed(harness)).toMatchObject([{ id: itemId, kind: 'blocked', reason: 'Which shops?' }])
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: itemId },
      body: { text: 'All of them', type: 'intervention_note' },
    })
    expect(await feed(harness)).toEqual([])
  })

  it('contains a mention for that user only, once per activity, until the reply', async () => {
    await using harness = await createAgentHarness()
    const { admin, adminId, member, reviewer } = harness.team
    const agent = await harness.order()
    const params = { activityId: (await harness.activityOf(agent.runId)).id }
    const say = (by: typeof admin, text: string) =>
      by.call('dashboard', 'POST /activities/:activityId/comments', { params, body: { text } })
    await say(admin, `I remind myself, @human:${adminId}`)
    expect(await feed(harness)).toEqual([])
    const first = await say(member, `Is this right, @human:${adminId}?`)
    expect(await feed(harness)).toMatchObject([
      {
        id: first.id,
        kind: 'mention',
        rank: 6,
        reason: `Mia Member: Is this right, @human:${adminId}?`,
        subject: { kind: 'activity', id: params.activityId },
        actions: ['comment', 'snooze', 'dismiss'],
      },
    ])
    for (const [client, surface] of [
      [member, 'dashboard'],
      [reviewer, 'dm'],
    ] as const)
      expect((await client.call(surface, 'GET /feed', {})).data).toEqual([])
    await expect(
      member.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId: first.id } }),
    ).rejects.toMatchObject({ status: 404 })
    await admin.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId: first.id } })
    expect(await feed(harness)).toEqual([])
    const second = await agent.call('POST /runs/:runId/actions/add-comment', {
      text: `Hello, @human:${adminId}`,
    })
    expect((await feed(harness)).map(({ id }) => id)).toEqual([second.commentId])
    await say(admin, 'Yes')
    expect(await feed(harness)).toEqual([])
  })

  it('contains the latest alert of a budget, until its cap changes', async () => {
    await using harness = await createAgentHarness()
    const { tenantId } = harness.team
    const cap = (micros: number) =>
      harness.app.db.write((tx) =>
        tx.run('update tenants set spend_cap_micros = ? where id = ?', [micros, tenantId]),
      )
    const spend = async (inputTokens: number) => {
      const agent = await harness.order()
      await agent.deliver('A post', { usage: { inputTokens, outputTokens: 0 } })
    }
    const alerts = async () => (await feed(harness)).filter(({ kind }) => kind === 'budget')
    await cap(10_000)
    await spend(8_500)
    expect(await alerts()).toMatchObject([
      {
        id: tenantId,
        title: 'A budget is nearly used up',
        reason: 'Tenant 1 has used 80 % of its monthly cap of $0.01',
        subject: { kind: 'tenant', id: tenantId },
      },
    ])
    const params = { itemId: tenantId }
    await harness.team.admin.call('dashboard', 'POST /feed/:itemId/dismiss', { params })
    expect(await alerts()).toEqual([])
    await spend(1_500)
    expect(await alerts()).toMatchObject([{ title: 'A budget is used up' }])
    await cap(1_000_000)
    expect(await alerts()).toEqual([])
  })

  it('omits alerts of past months, in the zone of the tenant', async () => {
    const clock = createTestClock(Date.UTC(2026, 3, 30, 12))
    await using harness = await createAgentHarness({ clock })
    const { tenantId } = harness.team
    await harness.app.db.write((tx) =>
      tx.run(`update tenants set spend_cap_micros = 10000, timezone = 'America/New_York' where id = ?`, [
        tenantId,
      ]),
    )
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'A', brief: 'A', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const agent = await harness.next(clock)
    await agent.deliver('A post', { usage: { inputTokens: 8_500, outputTokens: 0 } })
    const seen = async () => {
      const body = { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' as const }
      const { accessToken } = await harness.app.clientFor().call('auth', 'POST /login', { body })
      const page = await harness.app
        .clientFor(accessToken)
        .call('dashboard', 'GET /feed', { query: { 'filter.kind': 'budget' } })
      return page.data.length
    }
    clock.advance(Date.UTC(2026, 4, 1, 3, 59, 59) - clock.now())
    expect(await seen()).toBe(1)
    clock.advance(1_000)
    expect(await seen()).toBe(0)
  })
})

describe('dm.overview.get', () => {
  it('returns counts by tenant and in total, including assigned tenants without activity', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, worker: false })
    const { app } = harness
    const { approval, blocked, activity } = createRowInserter(app, clock)
    const [a, b] = [harness.team, await app.team()]
    await app.copydesk.asSystem().users.assign(a.reviewerId, b.tenantId)
    await approval(a.tenantId, 'one', 'high', 20)
    await approval(a.tenantId, 'two', 'low', 20)
    await blocked(a.tenantId, 'stuck', 1)
    await blocked(a.tenantId, 'paused', 1, { hold: 'paused' })
    await activity(a.tenantId, 'in progress')
    await activity(a.tenantId, 'done', { status: 'done' })
    await app.db.write((tx) =>
      tx.run(
        `update tenant_agents set status = 'error' where tenant_id = ? and role in ('analyst', 'strategist')`,
        [a.tenantId],
      ),
    )
    clock.advance(10 * 60_000)
    const agents = await harness.count(
      'select count(*) as n from tenant_agents where tenant_id = ?',
      b.tenantId,
    )
    const own = {
      tenantId: a.tenantId,
      tenantName: 'Tenant 1',
      pendingApprovals: 2,
      highRiskApprovals: 1,
      activitiesInProgress: 1,
      activitiesBlocked: 2,
      activeAgents: agents - 2,
      oldestPendingApprovalAgeH: 1.2,
    }
    const nothing = {
      tenantId: b.tenantId,
      tenantName: 'Tenant 2',
      pendingApprovals: 0,
      highRiskApprovals: 0,
      activitiesInProgress: 0,
      activitiesBlocked: 0,
      activeAgents: agents,
      oldestPendingApprovalAgeH: null,
    }
    const totals = {
      pendingApprovals: 2,
      highRiskApprovals: 1,
      activitiesInProgress: 1,
      activitiesBlocked: 2,
      agentsInError: 2,
    }
    const look = (query = {}) => a.reviewer.call('dm', 'GET /overview', { query })
    expect(await look()).toEqual({ tenants: [own, nothing], totals })
    expect((await look({ tenantId: a.tenantId })).tenants).toEqual([own])
    expect((await b.reviewer.call('dm', 'GET /overview', {})).tenants).toEqual([nothing])
    // What is put aside is there still.
    const [item] = (await a.reviewer.call('dm', 'GET /feed', {})).data.filter(({ rank }) => rank > 1)
    await a.reviewer.call('dm', 'POST /feed/:itemId/dismiss', { params: { itemId: item?.id ?? '' } })
    expect((await look()).totals).toEqual(totals)
  })

  it('and the feed omit tenants whose assignment has ended, and reject their items', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, worker: false })
    const { app } = harness
    const [a, b] = [harness.team, await app.team()]
    await app.copydesk.asSystem().users.assign(a.reviewerId, b.tenantId)
    const insert = createRowInserter(app, clock)
    await insert.blocked(a.tenantId, 'ours', 1)
    const theirs = await insert.blocked(b.tenantId, 'theirs', 2)
    const seen = async () => (await a.reviewer.call('dm', 'GET /feed', {})).data.map(({ title }) => title)
    const dismiss = (query = '') =>
      a.reviewer.call('dm', 'POST /feed/:itemId/dismiss', { params: { itemId: `${theirs}${query}` } })
    expect(await seen()).toEqual(['theirs', 'ours'])
    await app.db.write((tx) =>
      tx.run('delete from tenant_assignments where user_id = ? and tenant_id = ?', [
        a.reviewerId,
        b.tenantId,
      ]),
    )
    expect(await seen()).toEqual(['ours'])
    await expect(dismiss()).rejects.toMatchObject({ status: 404 })
    await expect(
      a.reviewer.call('dm', 'GET /feed', { query: { tenantId: b.tenantId } }),
    ).rejects.toMatchObject({ status: 403 })
    expect((await a.reviewer.call('dm', 'GET /overview', {})).tenants).toHaveLength(1)
    await app.db.write((tx) => tx.run('delete from tenant_assignments where user_id = ?', [a.reviewerId]))
    expect(await seen()).toEqual([])
    expect(await a.reviewer.call('dm', 'GET /overview', {})).toMatchObject({
      tenants: [],
      totals: { activitiesBlocked: 0 },
    })
  })
})
