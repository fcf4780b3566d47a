import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, logOf } from '../agent-harness.ts'

const hour = 3_600_000

/** Moves the clock on until so many approvals have expired. */
const expired = (harness: AgentHarness, clock: TestClock, count: number) =>
  harness.app.until(async () => {
    clock.advance(1_000)
    return (await harness.count(`select count(*) as n from approvals where status = 'expired'`)) === count
  }, `${count} approvals have expired`)

const statusOf = async (harness: AgentHarness, runId: string) => (await harness.activityOf(runId)).status

describe('an expired approval', () => {
  it('blocks the waiting activity; a retry is the way out', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await agent.deliver('A post')
    clock.advance(72 * hour)
    await expired(harness, clock, 1)
    const { id } = await harness.activityOf(agent.runId)
    const { activities } = harness.app.copydesk.asSystem()
    expect(await activities.get(id)).toMatchObject({
      status: 'blocked',
      blocker: { type: 'approval_expired' },
    })
    expect(await eventsOf(harness, 'approval_expired')).toHaveLength(1)
    await activities.retry(id)
    const again = await harness.next(clock)
    expect(again.dispatch.wakeReason).toBe('retry')
    await again.deliver('A post')
    expect(await statusOf(harness, agent.runId)).toBe('awaiting_approval')
  })

  it('does not affect an activity that continues meanwhile, waits for a subtask, or is done', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 3 })
    const [working, split, done] = [await harness.order(), await harness.order(), await harness.order()]
    const question = { title: 'May we?', type: 'budget_authorization' } as const
    for (const agent of [working, split, done])
      await agent.call('POST /runs/:runId/actions/create-approval', question)
    // Their runtimes may take as long as they like.
    await harness.app.db.write((tx) =>
      tx.run('update runs set lease_until = ?', [new Date(clock.now() + 100 * hour)]),
    )
    clock.advance(23 * hour + 59 * 60_000)
    // As if the verdict on another question had set them going again.
    await harness.app.db.write(async (tx) => {
      const set = 'update activities set status = ? where id in (select activity_id from runs where id = ?)'
      await tx.run(set, ['in_progress', working.runId])
      await tx.run(set, ['awaiting_subtask', split.runId])
      await tx.run(set, ['done', done.runId])
    })
    clock.advance(60_000)
    await expired(harness, clock, 3)
    expect(await Promise.all([working, split, done].map(({ runId }) => statusOf(harness, runId)))).toEqual([
      'in_progress',
      'awaiting_subtask',
      'done',
    ])
    expect(await eventsOf(harness, 'activity_blocked')).toEqual([])
    const { id } = await harness.activityOf(working.runId)
    expect(await logOf(harness, id)).toContain('approval: “May we?” expired undecided')
  })

  it('does not affect an activity that waits for another approval as well', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/create-approval', {
      title: 'May we?',
      type: 'budget_authorization',
    })
    await agent.call('POST /runs/:runId/actions/create-approval', {
      title: 'Which?',
      type: 'brand_direction',
    })
    await agent.deliver('As far as I got')
    clock.advance(24 * hour)
    await expired(harness, clock, 1)
    expect(await statusOf(harness, agent.runId)).toBe('awaiting_approval')
    clock.advance(24 * hour)
    await expired(harness, clock, 2)
    expect(await statusOf(harness, agent.runId)).toBe('blocked')
  })
})

describe('a blocker reported by an agent', () => {
  const blocker = { blockerType: 'needs_human_input', description: 'Which shop?' } as const

  it('is resolved by an intervention note: the agent continues with the text', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/report-blocker', blocker)
    await agent.deliver('As far as I got')
    const { id } = await harness.activityOf(agent.runId)
    const comment = (body: { text: string; type?: 'intervention_note' }) =>
      harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
        params: { activityId: id },
        body,
      })
    await comment({ text: 'I will ask' })
    expect(await statusOf(harness, agent.runId)).toBe('blocked')
    await comment({ text: 'The one in Bristol', type: 'intervention_note' })
    const again = await harness.next()
    expect(again.dispatch.wakeReason).toBe('unblocked')
    expect(again.dispatch.prompt).toContain('The one in Bristol')
    expect((await harness.app.copydesk.asSystem().activities.get(id)).blocker).toBeUndefined()
  })

  it('is resolved when a person retries the activity; a paused activity is not retried', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/report-blocker', blocker)
    await agent.deliver('As far as I got')
    const { id } = await harness.activityOf(agent.runId)
    const retry = () =>
      harness.team.admin.call('dashboard', 'POST /activities/:activityId/retry', {
        params: { activityId: id },
      })
    await harness.app.db.write((tx) => tx.run(`update activities set hold = 'paused' where id = ?`, [id]))
    const before = await harness.state()
    await expect(retry()).rejects.toMatchObject({ status: 422 })
    expect(await harness.state()).toEqual(before)
    await harness.app.db.write((tx) => tx.run('update activities set hold = null where id = ?', [id]))
    await retry()
    expect((await harness.next()).dispatch.wakeReason).toBe('unblocked')
  })
})
