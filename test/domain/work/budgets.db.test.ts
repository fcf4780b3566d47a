import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, inbox, resolve } from '../agent-harness.ts'
import { alerts, blocked, capTenant, place, retry, spend } from './budgets.ts'

/** Sends the only pending piece back. */
async function sendBack(harness: AgentHarness, note: string): Promise<void> {
  const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
    query: { 'filter.status': 'pending' },
  })
  await resolve(harness.team, data[0]?.id ?? '', { resolution: 'rejected', note })
}

describe('a budget cap that is reached', () => {
  it('blocks the next run before it starts: no model is called, nothing is spent, the admins are notified once', async () => {
    await using harness = await createAgentHarness()
    await capTenant(harness, 2_000)
    await spend(await harness.order(), 2_000)
    await place(harness)
    const [held] = await blocked(harness, 1)
    const description = 'Tenant 1 has reached its monthly cap of $0.002'
    expect(held?.description).toBe(description)
    expect(harness.runtime.waiting).toBe(0)
    const [run] = await harness.app.db.sql.all<Record<string, unknown>>(
      'select status, error, prompt, cost_micros, open from runs where activity_id = ?',
      [held?.id ?? ''],
    )
    expect(run).toMatchObject({ status: 'failed', error: description, prompt: null })
    expect([Number(run?.['cost_micros']), Boolean(run?.['open'])]).toEqual([0, false])
    expect(await eventsOf(harness, 'activity_blocked')).toEqual([
      {
        tenantId: harness.team.tenantId,
        subject: held?.id,
        data: { activityId: held?.id, blockerType: 'budget' },
      },
    ])

    await place(harness, 3)
    await blocked(harness, 4)
    expect(await alerts(harness)).toEqual([
      expect.stringMatching(/^A budget is used up: Tenant 1 has reached/),
    ])
    expect((await inbox(harness, 'budget_alert')).map(({ user_id }) => user_id)).toEqual([
      harness.team.adminId,
    ])
    expect(await eventsOf(harness, 'budget_alert')).toMatchObject([
      {
        tenantId: harness.team.tenantId,
        subject: harness.team.tenantId,
        data: { scope: 'tenant', level: 100, capUsd: 0.002, spentUsd: 0.002 },
      },
    ])
  })

  it('lets the activity continue once it was raised and the activity retried, not before', async () => {
    await using harness = await createAgentHarness()
    await capTenant(harness, 2_000)
    await spend(await harness.order(), 2_000)
    await place(harness)
    const [held] = await blocked(harness, 1)
    const { runId } = await retry(harness, held?.id ?? '')
    await harness.app.until(async () => (await harness.run(runId)).status === 'failed', 'it is blocked again')
    expect(await alerts(harness)).toHaveLength(1)
    await capTenant(harness, 2_001)
    await retry(harness, held?.id ?? '')
    const agent = await harness.next()
    expect(await harness.activityOf(agent.runId)).toMatchObject({
      id: held?.id,
      status: 'in_progress',
      blocker: null,
    })
    // The new cap is another one, which is reached again.
    await spend(agent, 1)
    expect(await alerts(harness)).toHaveLength(2)
  })

  it('applies to one activity, as its agent is configured; the reviewer’s note is not lost', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ maxCostUsdPerActivity: 0.002 })
    const agent = await harness.order()
    await spend(agent, 1_999)
    await sendBack(harness, 'Shorter')
    await spend(await harness.next(), 1)
    await sendBack(harness, 'Warmer')
    const [held] = await blocked(harness, 1)
    expect(held).toMatchObject({
      id: (await harness.activityOf(agent.runId)).id,
      description: expect.stringMatching(
        / has reached the cap of \$0\.002 that Social writer may spend on one$/,
      ),
    })
    expect(harness.runtime.waiting).toBe(0)
    // Another activity has a cap of its own.
    await spend(await harness.order(), 1)
    await harness.configure({ maxCostUsdPerActivity: 0.003 })
    await retry(harness, held?.id ?? '')
    const again = await harness.next()
    expect((await again.call('GET /runs/:runId/context')).rejectionNote).toBe('Warmer')
  })

  it('applies to a campaign, over all of its activities and no other', async () => {
    await using harness = await createAgentHarness()
    const { campaignId, ...agent } = await harness.order('social_post', { budgetCapUsd: 0.002 })
    await spend(agent, 2_000)
    await sendBack(harness, 'Shorter')
    const [held] = await blocked(harness, 1)
    expect(held?.description).toBe('The campaign “Spring” has reached its budget of $0.002')
    expect(await inbox(harness, 'budget_alert')).toMatchObject([{ subject_id: campaignId }])
    await spend(await harness.order(), 5_000)
    await harness.team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', {
      params: { campaignId },
      body: { budgetCapUsd: 0.01 },
    })
    await retry(harness, held?.id ?? '')
    expect((await harness.activityOf((await harness.next()).runId)).id).toBe(held?.id)
  })

  it('of zero lets no run start', async () => {
    await using harness = await createAgentHarness()
    await capTenant(harness, 0)
    await place(harness)
    const [held] = await blocked(harness, 1)
    expect(held?.description).toBe('Tenant 1 has reached its monthly cap of $0.00')
    expect(await alerts(harness)).toHaveLength(1)
  })

  it('includes the cost of tools and of failed runs', async () => {
    await using harness = await createAgentHarness()
    await capTenant(harness, 3_000)
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/tool-call', {
      toolName: 'search',
      method: 'GET',
      input: {},
      status: 'success',
      durationMs: 1,
      costUsd: 0.001,
    })
    await agent.call('POST /runs/:runId/result', {
      status: 'error',
      error: 'No idea',
      usage: { inputTokens: 2_000, outputTokens: 0 },
    })
    await place(harness)
    await blocked(harness, 1)
    expect(harness.runtime.waiting).toBe(0)
  })
})

describe('a budget alert', () => {
  it('is emitted at 80 % and at 100 %, each once, to the admins of the tenant only', async () => {
    await using harness = await createAgentHarness()
    const neighbour = await harness.app.team()
    await capTenant(harness, 10_000)
    await capTenant(harness, 10_000, neighbour.tenantId)
    const seen: number[] = []
    for (const micros of [7_999, 1, 1_000, 999, 1]) {
      await spend(await harness.order(), micros)
      seen.push((await alerts(harness)).length)
    }
    expect(seen).toEqual([0, 1, 1, 1, 2])
    expect(await alerts(harness)).toEqual([
      'A budget is nearly used up: Tenant 1 has used 80 % of its monthly cap of $0.01.',
      expect.stringMatching(/^A budget is used up: Tenant 1 has reached its monthly cap of \$0\.01\./),
    ])
    const told = await inbox(harness, 'budget_alert')
    expect(told.map(({ user_id }) => user_id)).toEqual([harness.team.adminId, harness.team.adminId])
  })

  it('is emitted once by runs that end concurrently', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await spend(await harness.order(), 100)
    await capTenant(harness, 10_000)
    const agents = [await harness.order(), await harness.order()]
    await Promise.all(agents.map((agent) => spend(agent, 4_000)))
    expect(await alerts(harness)).toEqual([expect.stringMatching(/^A budget is nearly used up/)])
  })
})
