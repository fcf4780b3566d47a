import { describe, expect, it } from 'vitest'
import { blockStuck } from '../../../packages/core/src/domain/work/activities/sweep.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, eventsOf, inbox, logOf, post } from '../agent-harness.ts'
import { parts } from '../agents.ts'
import { place } from './budgets.ts'

const stuck = async (desk: AgentHarness) =>
  (await desk.app.copydesk.asSystem().activities.sweep()).map(({ id, status }) => ({ id, status }))

const run = (desk: AgentHarness, sql: string, ...params: Array<string | boolean | Date | null>) =>
  desk.app.db.write((tx) => tx.run(sql, params))

/** Everything that an activity may wait for, each reached through the endpoints that lead there. */
const waits: Record<string, (desk: AgentHarness) => Promise<unknown>> = {
  'for its turn': async (desk) => {
    await run(desk, `update tenant_agents set status = 'paused'`)
    await place(desk)
    await desk.app.until(
      async () => (await desk.count(`select count(*) as n from campaigns where status = 'active'`)) === 1,
      'all is planned, and the run waits',
    )
  },
  'for its agent in progress': (desk) => desk.order(),
  'for the step before it, which is open': (desk) => desk.order('blog_post'),
  'for the step before it, which has failed': async (desk) =>
    (await desk.order('blog_post')).fail('No', { family: 'refusal' }),
  'for the next try': async (desk) => (await desk.order()).fail('Busy', { family: 'transient' }),
  'for a verdict': async (desk) => (await desk.order()).deliver('A post'),
  'for a subtask': async (desk) => {
    const agent = await desk.order()
    await agent.call('POST /runs/:runId/actions/create-subtask', {
      ...acts['actions/create-subtask'],
      agentRole: 'researcher',
    })
    await agent.deliver('A first go')
    await desk.next()
  },
  'for a person to whom it was given': async (desk) => {
    const agent = await desk.order()
    await agent.call('POST /runs/:runId/actions/reassign', { toUserId: desk.team.adminId, reason: 'Prices' })
  },
  'for people who were told what is in the way': async (desk) => {
    const agent = await desk.order()
    await post(desk, agent, 'actions/report-blocker')
    await agent.deliver('As far as I got')
  },
  'for the person who paused it': async (desk) => {
    await (await desk.order()).deliver('A post')
    await run(desk, `update activities set status = 'blocked', hold = 'paused'`)
  },
  'for a campaign that is archived: it rests for good': async (desk) => {
    const agent = await desk.order()
    await desk.team.admin.call('dashboard', 'DELETE /campaigns/:campaignId', {
      params: { campaignId: agent.campaignId },
    })
    await agent.deliver('A post')
    await run(desk, 'delete from approvals')
  },
}

/** Ways in which nothing would ever move an activity again, were it not for the sweep. */
const holes: Record<string, (desk: AgentHarness) => Promise<unknown>> = {
  'its run is gone': async (desk) => {
    const agent = await desk.order()
    await run(desk, 'delete from runs where id = ?', agent.runId)
  },
  'its approval is gone': async (desk) => {
    await (await desk.order()).deliver('A post')
    await run(desk, 'delete from approvals')
  },
  'its approval does not hold it': async (desk) => {
    await (await desk.order()).deliver('A post')
    await run(desk, 'update approval_links set blocking = ?', false)
  },
  'its subtask has ended without a word': async (desk) => {
    await waits['for a subtask']?.(desk)
    await run(desk, `update activities set status = 'failed' where depth = 1`)
  },
  'the step before it is done, and no one has noticed': async (desk) => {
    const agent = await desk.order('blog_post')
    await run(desk, `update activities set status = 'done' where step_number = 1`)
    await run(desk, 'delete from runs where id = ?', agent.runId)
  },
  'the step before it was cancelled': async (desk) => {
    const agent = await desk.order('blog_post')
    await run(
      desk,
      `update activities set status = 'failed', failure_reason = 'cancelled_by_reviewer' where step_number = 1`,
    )
    await run(desk, 'delete from runs where id = ?', agent.runId)
  },
  'the person who has it is there no more': async (desk) => {
    await waits['for a person to whom it was given']?.(desk)
    await run(desk, `update users set status = 'suspended' where id = ?`, desk.team.adminId)
  },
}

describe('the check for stuck activities', () => {
  it.each(Object.keys(waits))('ignores an activity that waits %s', async (name) => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock })
    await waits[name]?.(desk)
    await using inside = await parts(desk.app)
    expect(await stuck(desk)).toEqual([])
    const before = await desk.state()
    await blockStuck(inside.system())
    expect(await desk.state()).toEqual(before)
  })

  it.each(Object.keys(holes))('finds an activity where %s, and reports it to people', async (name) => {
    await using desk = await createAgentHarness({ allowErrors: true })
    await holes[name]?.(desk)
    const [found, ...others] = await stuck(desk)
    expect(others).toEqual([])
    const id = found?.id ?? ''
    await using inside = await parts(desk.app)
    await blockStuck(inside.system())
    const { status, blocker } = await desk.app.copydesk.asSystem().activities.get(id)
    expect([status, blocker?.type]).toEqual(['blocked', 'nothing_moves'])
    expect(await eventsOf(desk, 'activity_blocked')).toMatchObject([
      { subject: id, data: { blockerType: 'nothing_moves' } },
    ])
    expect((await logOf(desk, id)).at(-1)).toMatch(
      /^blocker: It was .+, and nothing would ever have moved it on\.$/,
    )
    // Once is enough.
    const before = await desk.state()
    await blockStuck(inside.system())
    expect(await desk.state()).toEqual(before)
    if (name.startsWith('the person')) return
    expect(await stuck(desk)).toEqual([])
    expect((await inbox(desk, 'campaign_update')).filter((line) => line.subject_id === id)).toHaveLength(1)
    // And the way out works.
    await desk.app.copydesk.asSystem().activities.retry(id)
    expect((await desk.next()).dispatch.wakeReason).toBe('retry')
  })

  it('reports a blocker when no one was there to be notified', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/report-blocker')
    await agent.deliver('As far as I got')
    const { id } = await desk.activityOf(agent.runId)
    await run(desk, `update users set status = 'suspended' where role = 'admin'`)
    expect(await stuck(desk)).toEqual([])
    await run(desk, 'delete from tenant_assignments')
    expect(await stuck(desk)).toEqual([{ id, status: 'blocked' }])
    expect(await desk.app.copydesk.doctor()).toContainEqual(
      expect.objectContaining({ name: 'work', ok: false, message: expect.stringContaining(id) }),
    )
  })

  it('expires an approval whose expiry job was lost', async () => {
    const clock = createTestClock()
    await using desk = await createAgentHarness({ clock, allowErrors: true })
    const agent = await desk.order()
    await agent.deliver('A post')
    await run(desk, `delete from job where kind = 'approval.clock'`)
    clock.advance(72 * 3_600_000)
    expect(await stuck(desk)).toEqual([])
    clock.advance(3_600_000)
    const { id } = await desk.activityOf(agent.runId)
    expect(await stuck(desk)).toEqual([{ id, status: 'awaiting_approval' }])
    await desk.app.until(async () => {
      clock.advance(10_000)
      return (await desk.activityOf(agent.runId)).status === 'blocked'
    }, 'the worker has given it to people')
    expect((await desk.app.copydesk.asSystem().activities.get(id)).blocker?.type).toBe('nothing_moves')
  })
})

describe('a step', () => {
  it('that waits for two starts once, when the second is done, even if both end concurrently', async () => {
    await using desk = await createAgentHarness()
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
      desk,
      `update activity_templates set steps = ? where deliverable_type = 'blog_post'`,
      JSON.stringify(steps),
    )
    for (let round = 0; round < 5; round += 1) {
      const first: Agent = await desk.order('blog_post')
      const second = await desk.next()
      await Promise.all([first.deliver('One'), second.deliver('Two')])
      const third = await desk.next()
      expect(third.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'new_task' })
      expect(third.dispatch.prompt).toContain('One')
      expect(third.dispatch.prompt).toContain('Two')
      await third.deliver('Three')
    }
    expect(desk.runtime.waiting).toBe(0)
    expect(await stuck(desk)).toEqual([])
  })
})
