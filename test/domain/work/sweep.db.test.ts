import { describe, expect, it } from 'vitest'
import { blockStuck } from '../../../packages/core/src/domain/work/activities/sweep.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, eventsOf, inbox, logOf, post } from '../agent-harness.ts'
import { parts } from '../agents.ts'
import { place } from './budgets.ts'

const stuck = async (harness: AgentHarness) =>
  (await harness.app.copydesk.asSystem().activities.sweep()).map(({ id, status }) => ({ id, status }))

const run = (harness: AgentHarness, sql: string, ...params: Array<string | boolean | Date | null>) =>
  harness.app.db.write((tx) => tx.run(sql, params))

/** Everything that an activity may wait for, each reached through the endpoints that lead there. */
const waits: Record<string, (harness: AgentHarness) => Promise<unknown>> = {
  'for its turn': async (harness) => {
    await run(harness, `update tenant_agents set status = 'paused'`)
    await place(harness)
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n from campaigns where status = 'active'`)) === 1,
      'all is planned, and the run waits',
    )
  },
  'for its agent in progress': (harness) => harness.order(),
  'for the step before it, which is open': (harness) => harness.order('blog_post'),
  'for the step before it, which has failed': async (harness) =>
    (await harness.order('blog_post')).fail('No', { family: 'refusal' }),
  'for the next try': async (harness) => (await harness.order()).fail('Busy', { family: 'transient' }),
  'for a verdict': async (harness) => (await harness.order()).deliver('A post'),
  'for a subtask': async (harness) => {
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/create-subtask', {
      ...acts['actions/create-subtask'],
      agentRole: 'researcher',
    })
    await agent.deliver('A first go')
    await harness.next()
  },
  'for a person to whom it was given': async (harness) => {
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/reassign', {
      toUserId: harness.team.adminId,
      reason: 'Prices',
    })
  },
  'for people who were told what is in the way': async (harness) => {
    const agent = await harness.order()
    await post(harness, agent, 'actions/report-blocker')
    await agent.deliver('As far as I got')
  },
  'for the person who paused it': async (harness) => {
    await (await harness.order()).deliver('A post')
    await run(harness, `update activities set status = 'blocked', hold = 'paused'`)
  },
  'for a campaign that is archived: it rests for good': async (harness) => {
    const agent = await harness.order()
    await harness.team.admin.call('dashboard', 'DELETE /campaigns/:campaignId', {
      params: { campaignId: agent.campaignId },
    })
    await agent.deliver('A post')
    await run(harness, 'delete from approvals')
  },
}

/** Ways in which nothing would ever move an activity again, were it not for the sweep. */
const holes: Record<string, (harness: AgentHarness) => Promise<unknown>> = {
  'its run is gone': async (harness) => {
    const agent = await harness.order()
    await run(harness, 'delete from runs where id = ?', agent.runId)
  },
  'its approval is gone': async (harness) => {
    await (await harness.order()).deliver('A post')
    await run(harness, 'delete from approvals')
  },
  'its approval does not hold it': async (harness) => {
    await (await harness.order()).deliver('A post')
    await run(harness, 'update approval_links set blocking = ?', false)
  },
  'its subtask has ended without a word': async (harness) => {
    await waits['for a subtask']?.(harness)
    await run(harness, `update activities set status = 'failed' where depth = 1`)
  },
  'the step before it is done, and no one has noticed': async (harness) => {
    const agent = await harness.order('blog_post')
    await run(harness, `update activities set status = 'done' where step_number = 1`)
    await run(harness, 'delete from runs where id = ?', agent.runId)
  },
  'the step before it was cancelled': async (harness) => {
    const agent = await harness.order('blog_post')
    await run(
      harness,
      `update activities set status = 'failed', failure_reason = 'cancelled_by_reviewer' where step_number = 1`,
    )
    await run(harness, 'delete from runs where id = ?', agent.runId)
  },
  'the person who has it is there no more': async (harness) => {
    await waits['for a person to whom it was given']?.(harness)
    await run(harness, `update users set status = 'suspended' where id = ?`, harness.team.adminId)
  },
}

describe('the check for stuck activities', () => {
  it.each(Object.keys(waits))('ignores an activity that waits %s', async (name) => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await waits[name]?.(harness)
    await using inside = await parts(harness.app)
    expect(await stuck(harness)).toEqual([])
    const before = await harness.state()
    await blockStuck(inside.system())
    expect(await harness.state()).toEqual(before)
  })

  it.each(Object.keys(holes))('finds an activity where %s, and reports it to people', async (name) => {
    await using harness = await createAgentHarness({ allowErrors: true })
    await holes[name]?.(harness)
    const [found, ...others] = await stuck(harness)
    expect(others).toEqual([])
    const id = found?.id ?? ''
    await using inside = await parts(harness.app)
    await blockStuck(inside.system())
    const { status, blocker } = await harness.app.copydesk.asSystem().activities.get(id)
    expect([status, blocker?.type]).toEqual(['blocked', 'nothing_moves'])
    expect(await eventsOf(harness, 'activity_blocked')).toMatchObject([
      { subject: id, data: { blockerType: 'nothing_moves' } },
    ])
    expect((await logOf(harness, id)).at(-1)).toMatch(
      /^blocker: It was .+, and nothing would ever have moved it on\.$/,
    )
    // Once is enough.
    const before = await harness.state()
    await blockStuck(inside.system())
    expect(await harness.state()).toEqual(before)
    if (name.startsWith('the person')) return
    expect(await stuck(harness)).toEqual([])
    expect((await inbox(harness, 'campaign_update')).filter((line) => line.subject_id === id)).toHaveLength(1)
    // And the way out works.
    await harness.app.copydesk.asSystem().activities.retry(id)
    expect((await harness.next()).dispatch.wakeReason).toBe('retry')
  })

  it('reports a blocker when no one was there to be notified', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/report-blocker')
    await agent.deliver('As far as I got')
    const { id } = await harness.activityOf(agent.runId)
    await run(harness, `update users set status = 'suspended' where role = 'admin'`)
    expect(await stuck(harness)).toEqual([])
    await run(harness, 'delete from tenant_assignments')
    expect(await stuck(harness)).toEqual([{ id, status: 'blocked' }])
    expect(await harness.app.copydesk.doctor()).toContainEqual(
      expect.objectContaining({ name: 'work', ok: false, message: expect.stringContaining(id) }),
    )
  })

  it('expires an approval whose expiry job was lost', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, allowErrors: true })
    const agent = await harness.order()
    await agent.deliver('A post')
    await run(harness, `delete from job where kind = 'approval.clock'`)
    clock.advance(72 * 3_600_000)
    expect(await stuck(harness)).toEqual([])
    clock.advance(3_600_000)
    const { id } = await harness.activityOf(agent.runId)
    expect(await stuck(harness)).toEqual([{ id, status: 'awaiting_approval' }])
    await harness.app.until(async () => {
      clock.advance(10_000)
      return (await harness.activityOf(agent.runId)).status === 'blocked'
    }, 'the worker has given it to people')
    expect((await harness.app.copydesk.asSystem().activities.get(id)).blocker?.type).toBe('nothing_moves')
  })
})

describe('a step', () => {
  it('that waits for two starts once, when the second is done, even if both end concurrently', async () => {
    await using harness = await createAgentHarness()
    const step = (stepNumber: number, more: object = {}) => ({
      stepNumber,
      title: `Step ${stepNumber}`,
      agentRole: 'researcher',
      type: 'research',
      approvalRequired: false,
      ...more,
    })
    const steps = [step(1), step(2), step(3, { dependsOn: [1, 2], agentRole: 'blog_writer', type: 'draft' })]
    await run(
      harness,
      `update activity_templates set steps = ? where deliverable_type = 'blog_post'`,
      JSON.stringify(steps),
    )
    for (let round = 0; round < 5; round += 1) {
      const first: Agent = await harness.order('blog_post')
      const second = await harness.next()
      await Promise.all([first.deliver('One'), second.deliver('Two')])
      const third = await harness.next()
      expect(third.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'new_task' })
      expect(third.dispatch.prompt).toContain('One')
      expect(third.dispatch.prompt).toContain('Two')
      await third.deliver('Three')
    }
    expect(harness.runtime.waiting).toBe(0)
    expect(await stuck(harness)).toEqual([])
  })
})
