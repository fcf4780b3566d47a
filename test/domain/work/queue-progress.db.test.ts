import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, inbox } from '../agent-harness.ts'

/** Ends a run without anything new, after it has asked for a part that wakes the activity again. */
async function goRound(harness: AgentHarness, agent: Agent, clock: TestClock): Promise<void> {
  await agent.call('POST /runs/:runId/actions/create-subtask', {
    title: 'Once more',
    agentRole: 'researcher',
    prompt: 'Look again',
  })
  await agent.deliver('The same text')
  await (await harness.next(clock)).deliver('Nothing new')
}

/** How long the newest run of an activity had or has to wait, milliseconds; undefined when it is no more woken. */
async function rest(harness: AgentHarness, id: string): Promise<number | undefined> {
  const { status } = await harness.app.copydesk.asSystem().activities.get(id)
  const row = await harness.app.db.sql.get<Record<'not_before' | 'created_on', Date | number>>(
    'select not_before, created_on from runs where activity_id = ? order by id desc limit 1',
    [id],
  )
  if (!row || status === 'blocked') return undefined
  return new Date(row.not_before).getTime() - new Date(row.created_on).getTime()
}

const minute = 60_000

describe('an activity that is woken again and again without new content', () => {
  it('waits longer each time, is blocked in the end, and a person is notified', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    let agent: Agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const rests: Array<number | undefined> = []
    for (let round = 0; round < 9; round += 1) {
      await goRound(harness, agent, clock)
      const wait = await rest(harness, id)
      rests.push(wait)
      if (wait === undefined) break
      clock.advance(wait)
      agent = await harness.next(clock)
    }
    // The first text was new.
    expect(rests).toEqual([0, 0, 0, minute, 2 * minute, 4 * minute, 8 * minute, 16 * minute, undefined])
    const { status, blocker } = await harness.app.copydesk.asSystem().activities.get(id)
    expect([status, blocker]).toEqual([
      'blocked',
      { type: 'no_progress', description: '8 runs in a row have brought nothing new.' },
    ])
    expect(await eventsOf(harness, 'activity_blocked')).toMatchObject([
      { subject: id, data: { blockerType: 'no_progress' } },
    ])
    expect(await inbox(harness, 'campaign_update')).toMatchObject([
      { user_id: harness.team.adminId, subject_id: id, body: '8 runs in a row have brought nothing new.' },
    ])

    // Anyone who tries it again gets a run at once, which knows what it was last woken for.
    await harness.app.copydesk.asSystem().activities.retry(id)
    expect(await rest(harness, id)).toBe(0)
    const again = await harness.next(clock)
    expect(again.dispatch.prompt).toContain('Nothing new')
  })

  it('is reset by a new text, and by the comment of a person', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    let agent: Agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    for (let round = 0; round < 4; round += 1) {
      await goRound(harness, agent, clock)
      if (round < 3) agent = await harness.next(clock)
    }
    expect(await rest(harness, id)).toBe(minute)
    // A mention ends the rest that no one but Copydesk has ordered.
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: id },
      body: { text: '@agent:social_writer try oats' },
    })
    expect(await rest(harness, id)).toBe(0)
    agent = await harness.next(clock)
    expect(agent.dispatch.prompt).toContain('try oats')
    await agent.call('POST /runs/:runId/actions/create-subtask', {
      title: 'Once more',
      agentRole: 'researcher',
      prompt: 'Look again',
    })
    await agent.deliver('A new text')
    await (await harness.next(clock)).deliver('Nothing new')
    expect(await rest(harness, id)).toBe(0)
    expect(await harness.count('select idle_runs as n from activities where id = ?', id)).toBe(0)
  })
})
