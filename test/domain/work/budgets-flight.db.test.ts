import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { alerts, blocked, capTenant, place, retry, spend, spentInAll } from './budgets.ts'

const openRuns = 'select count(*) as n from runs where open = ? and status = ?'

describe('runs that count towards one budget cap', () => {
  it('exceed it by one run at most, however many are queued', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    await desk.configure({ concurrency: 4 })
    await capTenant(desk, 2_000)
    await place(desk, 4)
    for (let runs = 0; runs < 2; runs += 1) await spend(await desk.next(clock), 1_500)
    await blocked(desk, 2, clock)
    expect(await spentInAll(desk)).toBe(3_000)
    expect(desk.runtime.waiting).toBe(0)
    expect(await desk.count(openRuns, true, 'pending')).toBe(0)
  })

  it('run in parallel while the cap is far, and one by one when the active ones may reach it', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    await desk.configure({ concurrency: 4 })
    await spend(await desk.order(), 1_000)
    await capTenant(desk, 3_500)
    await place(desk, 4)
    // Two more of the dearest so far fit below the cap; the third may pass it, the fourth would be a second one.
    const agents = [await desk.next(clock), await desk.next(clock), await desk.next(clock)]
    for (let moments = 0; moments < 30; moments += 1) clock.advance(1_000)
    await desk.app.until(async () => (await desk.count(openRuns, true, 'pending')) === 1, 'the fourth waits')
    expect(desk.runtime.waiting).toBe(0)
    for (const agent of agents) await spend(agent, 800)
    // It costs less than it might have: there is room for the fourth.
    const fourth = await desk.next(clock)
    expect(await desk.run(fourth.runId)).toMatchObject({ status: 'running', attempt: 1 })
    await spend(fourth, 800)
    expect(await spentInAll(desk)).toBe(4_200)
    await place(desk)
    await blocked(desk, 1, clock)
  })

  it('on two servers concurrently exceed it by one run at most', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    await desk.app.another()
    await desk.configure({ concurrency: 4 })
    await capTenant(desk, 2_000)
    await place(desk, 4)
    for (let runs = 0; runs < 2; runs += 1) await spend(await desk.next(clock), 1_500)
    await blocked(desk, 2, clock)
    expect(await spentInAll(desk)).toBe(3_000)
  })

  it('do not wait for each other without a cap, nor for those of another campaign', async () => {
    await using desk = await createAgentHarness()
    await desk.configure({ concurrency: 4 })
    await place(desk, 1, { budgetCapUsd: 0.001 })
    const capped = await desk.next()
    await place(desk, 2)
    const free = [await desk.next(), await desk.next()]
    for (const agent of [...free, capped]) await spend(agent, 1_000)
    expect(await spentInAll(desk)).toBe(3_000)
  })
})

const april = { endDate: '2026-04-30' }

describe('the month of a cap', () => {
  it('begins at midnight in the zone of the tenant, not of the server', async () => {
    // One minute before May begins in London, where it is summer.
    const clock = createTestClock(Date.UTC(2026, 3, 30, 22, 59, 0))
    await using desk = await createAgentHarness({ clock })
    await capTenant(desk, 1_000)
    // Neither campaign has work of its own in May.
    await spend(await desk.order('social_post', april), 1_000)
    await place(desk, 1, april)
    const [held] = await blocked(desk, 1)
    clock.advance(59_000)
    const { runId } = await retry(desk, held?.id ?? '')
    await desk.app.until(async () => (await desk.run(runId)).status === 'failed', 'it is blocked again')
    clock.advance(1_000)
    await retry(desk, held?.id ?? '')
    const agent = await desk.next()
    await spend(agent, 1_000)
    // A new month emits its event again.
    expect(await alerts(desk)).toHaveLength(2)
    await place(desk)
    expect(await blocked(desk, 1)).toHaveLength(1)
  })

  it('includes a run that starts in it, even if it was created in the previous one', async () => {
    const clock = createTestClock(Date.UTC(2026, 3, 30, 22, 59, 58))
    const may = Date.UTC(2026, 3, 30, 23, 0, 0)
    await using desk = await createAgentHarness({ clock })
    await capTenant(desk, 1_000)
    const pause = (status: string) =>
      desk.app.db.write((tx) => tx.run('update tenant_agents set status = ?', [status]))
    await pause('paused')
    await place(desk, 1, april)
    await desk.app.until(async () => (await desk.count(openRuns, true, 'pending')) === 1, 'the run waits')
    // In small steps, so that no one who looked for work in April finds it in May.
    await desk.app.until(async () => {
      clock.advance(500)
      return clock.now() > may + 5_000
    }, 'it is May')
    await pause('active')
    const agent = await desk.next(clock)
    const { started_at: startedAt, created_on: createdOn } = await desk.run(agent.runId)
    expect([createdOn, startedAt].map((at) => new Date(at as number).getTime() >= may)).toEqual([false, true])
    await spend(agent, 1_000)
    await place(desk)
    await blocked(desk, 1, clock)
    expect(desk.runtime.waiting).toBe(0)
  })
})
