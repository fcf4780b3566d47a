import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, inbox, resolve } from '../agent-harness.ts'
import { alerts, blocked, capTenant, place, retry, spend } from './budgets.ts'

/** Sends the only pending piece back. */
async function sendBack(desk: AgentHarness, note: string): Promise<void> {
  const { data } = await desk.team.reviewer.call('dm', 'GET /approvals', {
    query: { 'filter.status': 'pending' },
  })
  await resolve(desk.team, data[0]?.id ?? '', { resolution: 'rejected', note })
}

describe('a budget cap that is reached', () => {
  it('blocks the next run before it starts: no model is called, nothing is spent, the admins are notified once', async () => {
    await using desk = await createAgentHarness()
    await capTenant(desk, 2_000)
    await spend(await desk.order(), 2_000)
    await place(desk)
    const [held] = await blocked(desk, 1)
    const description = 'Tenant 1 has reached its monthly cap of $0.002'
    expect(held?.description).toBe(description)
    expect(desk.runtime.waiting).toBe(0)
    const [run] = await desk.app.db.sql.all<Record<string, unknown>>(
      'select status, error, prompt, cost_micros, open from runs where activity_id = ?',
      [held?.id ?? ''],
    )
    expect(run).toMatchObject({ status: 'failed', error: description, prompt: null })
    expect([Number(run?.['cost_micros']), Boolean(run?.['open'])]).toEqual([0, false])
    expect(await eventsOf(desk, 'activity_blocked')).toEqual([
      {
        tenantId: desk.team.tenantId,
        subject: held?.id,
        data: { activityId: held?.id, blockerType: 'budget' },
      },
    ])

    await place(desk, 3)
    await blocked(desk, 4)
    expect(await alerts(desk)).toEqual([expect.stringMatching(/^A budget is used up: Tenant 1 has reached/)])
    expect((await inbox(desk, 'budget_alert')).map(({ user_id }) => user_id)).toEqual([desk.team.adminId])
    expect(await eventsOf(desk, 'budget_alert')).toMatchObject([
      {
        tenantId: desk.team.tenantId,
        subject: desk.team.tenantId,
        data: { scope: 'tenant', level: 100, capUsd: 0.002, spentUsd: 0.002 },
      },
    ])
  })

  it('lets the activity continue once it was raised and the activity retried, not before', async () => {
    await using desk = await createAgentHarness()
    await capTenant(desk, 2_000)
    await spend(await desk.order(), 2_000)
    await place(desk)
    const [held] = await blocked(desk, 1)
    const { runId } = await retry(desk, held?.id ?? '')
    await desk.app.until(async () => (await desk.run(runId)).status === 'failed', 'it is blocked again')
    expect(await alerts(desk)).toHaveLength(1)
    await capTenant(desk, 2_001)
    await retry(desk, held?.id ?? '')
    const agent = await desk.next()
    expect(await desk.activityOf(agent.runId)).toMatchObject({
      id: held?.id,
      status: 'in_progress',
      blocker: null,
    })
    // The new cap is another one, which is reached again.
    await spend(agent, 1)
    expect(await alerts(desk)).toHaveLength(2)
  })

  it('applies to one activity, as its agent is configured; the reviewer’s note is not lost', async () => {
    await using desk = await createAgentHarness()
    await desk.configure({ maxCostUsdPerActivity: 0.002 })
    const agent = await desk.order()
    await spend(agent, 1_999)
    await sendBack(desk, 'Shorter')
    await spend(await desk.next(), 1)
    await sendBack(desk, 'Warmer')
    const [held] = await blocked(desk, 1)
    expect(held).toMatchObject({
      id: (await desk.activityOf(agent.runId)).id,
      description: expect.stringMatching(
        / has reached the cap of \$0\.002 that Social writer may spend on one$/,
      ),
    })
    expect(desk.runtime.waiting).toBe(0)
    // Another activity has a cap of its own.
    await spend(await desk.order(), 1)
    await desk.configure({ maxCostUsdPerActivity: 0.003 })
    await retry(desk, held?.id ?? '')
    const again = await desk.next()
    expect((await again.call('GET /runs/:runId/context')).rejectionNote).toBe('Warmer')
  })

  it('applies to a campaign, over all of its activities and no other', async () => {
    await using desk = await createAgentHarness()
    const { campaignId, ...agent } = await desk.order('social_post', { budgetCapUsd: 0.002 })
    await spend(agent, 2_000)
    await sendBack(desk, 'Shorter')
    const [held] = await blocked(desk, 1)
    expect(held?.description).toBe('The campaign “Spring” has reached its budget of $0.002')
    expect(await inbox(desk, 'budget_alert')).toMatchObject([{ subject_id: campaignId }])
    await spend(await desk.order(), 5_000)
    await desk.team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', {
      params: { campaignId },
      body: { budgetCapUsd: 0.01 },
    })
    await retry(desk, held?.id ?? '')
    expect((await desk.activityOf((await desk.next()).runId)).id).toBe(held?.id)
  })

  it('of zero lets no run start', async () => {
    await using desk = await createAgentHarness()
    await capTenant(desk, 0)
    await place(desk)
    const [held] = await blocked(desk, 1)
    expect(held?.description).toBe('Tenant 1 has reached its monthly cap of $0.00')
    expect(await alerts(desk)).toHaveLength(1)
  })

  it('includes the cost of tools and of failed runs', async () => {
    await using desk = await createAgentHarness()
    await capTenant(desk, 3_000)
    const agent = await desk.order()
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
    await place(desk)
    await blocked(desk, 1)
    expect(desk.runtime.waiting).toBe(0)
  })
})

describe('a budget alert', () => {
  it('is emitted at 80 % and at 100 %, each once, to the admins of the tenant only', async () => {
    await using desk = await createAgentHarness()
    const neighbour = await desk.app.team()
    await capTenant(desk, 10_000)
    await capTenant(desk, 10_000, neighbour.tenantId)
    const seen: number[] = []
    for (const micros of [7_999, 1, 1_000, 999, 1]) {
      await spend(await desk.order(), micros)
      seen.push((await alerts(desk)).length)
    }
    expect(seen).toEqual([0, 1, 1, 1, 2])
    expect(await alerts(desk)).toEqual([
      'A budget is nearly used up: Tenant 1 has used 80 % of its monthly cap of $0.01.',
      expect.stringMatching(/^A budget is used up: Tenant 1 has reached its monthly cap of \$0\.01\./),
    ])
    const told = await inbox(desk, 'budget_alert')
    expect(told.map(({ user_id }) => user_id)).toEqual([desk.team.adminId, desk.team.adminId])
  })

  it('is emitted once by runs that end concurrently', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    await spend(await desk.order(), 100)
    await capTenant(desk, 10_000)
    const agents = [await desk.order(), await desk.order()]
    await Promise.all(agents.map((agent) => spend(agent, 4_000)))
    expect(await alerts(desk)).toEqual([expect.stringMatching(/^A budget is nearly used up/)])
  })
})
