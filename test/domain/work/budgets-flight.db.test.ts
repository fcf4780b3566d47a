import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { alerts, blocked, capTenant, place, retry, spend, spentInAll } from './budgets.ts'

const openRuns = 'select count(*) as n from runs where open = ? and status = ?'

describe('runs that count towards one budget cap', () => {
  it('exceed it by one run at most, however many are queued', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 4 })
    await capTenant(harness, 2_000)
    await place(harness, 4)
    for (let runs = 0; runs < 2; runs += 1) await spend(await harness.next(clock), 1_500)
    await blocked(harness, 2, clock)
    expect(await spentInAll(harness)).toBe(3_000)
    expect(harness.runtime.waiting).toBe(0)
    expect(await harness.count(openRuns, true, 'pending')).toBe(0)
  })

  it('run in parallel while the cap is far, and one by one when the active ones may reach it', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 4 })
    await spend(await harness.order(), 1_000)
    await capTenant(harness, 3_500)
    await place(harness, 4)
    // Two more of the dearest so far fit below the cap; the third may pass it, the fourth would be a second one.
    const agents = [await harness.next(clock), await harness.next(clock), await harness.next(clock)]
    for (let moments = 0; moments < 30; moments += 1) clock.advance(1_000)
    await harness.app.until(
      async () => (await harness.count(openRuns, true, 'pending')) === 1,
      'the fourth waits',
    )
    expect(harness.runtime.waiting).toBe(0)
    for (const agent of agents) await spend(agent, 800)
    // It costs less than it might have: there is room for the fourth.
    const fourth = await harness.next(clock)
    expect(await harness.run(fourth.runId)).toMatchObject({ status: 'running', attempt: 1 })
    await spend(fourth, 800)
    expect(await spentInAll(harness)).toBe(4_200)
    await place(harness)
    await blocked(harness, 1, clock)
  })

  it('on two servers concurrently exceed it by one run at most', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.app.another()
    await harness.configure({ concurrency: 4 })
    await capTenant(harness, 2_000)
    await place(harness, 4)
    for (let runs = 0; runs < 2; runs += 1) await spend(await harness.next(clock), 1_500)
    await blocked(harness, 2, clock)
    expect(await spentInAll(harness)).toBe(3_000)
  })

  it('do not wait for each other without a cap, nor for those of another campaign', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ concurrency: 4 })
    await place(harness, 1, { budgetCapUsd: 0.001 })
    const capped = await harness.next()
    await place(harness, 2)
    const free = [await harness.next(), await harness.next()]
    for (const agent of [...free, capped]) await spend(agent, 1_000)
    expect(await spentInAll(harness)).toBe(3_000)
  })
})

const april = { endDate: '2026-04-30' }

describe('the month of a cap', () => {
  it('begins at midnight in the zone of the tenant, not of the server', async () => {
    // One minute before May begins in London, where it is summer.
    const clock = createTestClock(Date.UTC(2026, 3, 30, 22, 59, 0))
    await using harness = await createAgentHarness({ clock })
    await capTenant(harness, 1_000)
    // Neither campaign has work of its own in May.
    await spend(await harness.order('social_post', april), 1_000)
    await place(harness, 1, april)
    const [held] = await blocked(harness, 1)
    clock.advance(59_000)
    const { runId } = await retry(harness, held?.id ?? '')
    await harness.app.until(async () => (await harness.run(runId)).status === 'failed', 'it is blocked again')
    clock.advance(1_000)
    await retry(harness, held?.id ?? '')
    const agent = await harness.next()
    await spend(agent, 1_000)
    // A new month emits its event again.
    expect(await alerts(harness)).toHaveLength(2)
    await place(harness)
    expect(await blocked(harness, 1)).toHaveLength(1)
  })

  it('includes a run that starts in it, even if it was created in the previous one', async () => {
    const clock = createTestClock(Date.UTC(2026, 3, 30, 22, 59, 58))
    const may = Date.UTC(2026, 3, 30, 23, 0, 0)
    await using harness = await createAgentHarness({ clock })
    await capTenant(harness, 1_000)
    const pause = (status: string) =>
      harness.app.db.write((tx) => tx.run('update tenant_agents set status = ?', [status]))
    await pause('paused')
    await place(harness, 1, april)
    await harness.app.until(
      async () => (await harness.count(openRuns, true, 'pending')) === 1,
      'the run waits',
    )
    // In small steps, so that no one who looked for work in April finds it in May.
    await harness.app.until(async () => {
      clock.advance(500)
      return clock.now() > may + 5_000
    }, 'it is May')
    await pause('active')
    const agent = await harness.next(clock)
    const { started_at: startedAt, created_on: createdOn } = await harness.run(agent.runId)
    expect([createdOn, startedAt].map((at) => new Date(at as number).getTime() >= may)).toEqual([false, true])
    await spend(agent, 1_000)
    await place(harness)
    await blocked(harness, 1, clock)
    expect(harness.runtime.waiting).toBe(0)
  })
})
