import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, eventsOf, inbox, logOf, post, resolve, shown } from '../agent-harness.ts'

const blocker = { blockerType: 'insufficient_data', description: 'The brief names no prices' } as const

/** The ids of approvals that no one has decided on. */
const pending = async (harness: AgentHarness) =>
  (
    await harness.team.reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
  ).data.map(({ id }) => id)

describe('agent.actions.report_blocker', () => {
  it('blocks the activity, and notifies people of the reason', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const audited = (await auditOf(harness, agent.runId)).length
    expect(await agent.call('POST /runs/:runId/actions/report-blocker', blocker)).toEqual({
      activityId: id,
      status: 'blocked',
      humanTaskCreated: true,
    })
    expect(await shown(harness, id)).toMatchObject({
      status: 'blocked',
      blocker: { type: 'insufficient_data', description: 'The brief names no prices' },
    })
    // The turn goes on: the agent has its result to hand in.
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'running' })
    expect((await logOf(harness, id)).slice(-2)).toEqual([
      'status: Blocked: The brief names no prices',
      'blocker: The brief names no prices',
    ])
    expect(await eventsOf(harness, 'activity_blocked')).toEqual([
      {
        tenantId: harness.team.tenantId,
        subject: id,
        data: { activityId: id, blockerType: 'insufficient_data' },
      },
    ])
    expect(await inbox(harness, 'campaign_update')).toEqual([
      {
        user_id: harness.team.adminId,
        title: expect.stringMatching(/^Blocked: /),
        body: 'The brief names no prices',
        subject_id: id,
      },
    ])
    expect((await auditOf(harness, agent.runId)).slice(audited)).toEqual([
      {
        action: 'run.report_blocker',
        surface: 'agent',
        method: 'POST',
        path: `/agent/v1/runs/${agent.runId}/actions/report-blocker`,
        resource_type: 'activity',
        resource_id: id,
        tenant_id: harness.team.tenantId,
        actor_type: 'agent',
        status: 200,
      },
    ])
  })

  it('names the channel whose login has expired, and the remedy', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const channelId = '01HZZZZZZZZZZZZZZZZZZZZZZZ'
    const answer = await post(harness, agent, 'actions/report-blocker', {
      blockerType: 'channel_auth_expired',
      description: 'The page refuses us',
      channelId,
      resolution: 'Connect it again',
    })
    expect(answer.status).toBe(200)
    const { blocker: kept } = await harness.activityOf(agent.runId)
    expect(typeof kept === 'string' ? JSON.parse(kept) : kept).toEqual({
      type: 'channel_auth_expired',
      description: 'The page refuses us',
      channelId,
      resolution: 'Connect it again',
    })
  })

  it('keeps the activity blocked when the run then delivers a text, or fails; no run follows', async () => {
    await using harness = await createAgentHarness()
    const [well, badly] = [await harness.order(), await harness.order()]
    for (const agent of [well, badly]) await post(harness, agent, 'actions/report-blocker', blocker)
    await well.deliver('As far as I got')
    await badly.fail('Overloaded', { family: 'transient' })
    for (const agent of [well, badly]) expect((await harness.activityOf(agent.runId)).status).toBe('blocked')
    expect(await harness.count('select count(*) as n from runs where open = ?', true)).toBe(0)
    const { id } = await harness.activityOf(well.runId)
    const output = await harness.team.member.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: id },
    })
    expect(output.text).toBe('As far as I got')
    expect(await pending(harness)).toEqual([])
  })

  it('is resolved by a mention, which wakes the agent', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/report-blocker', blocker)
    await agent.deliver('As far as I got')
    const { id } = await harness.activityOf(agent.runId)
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: id },
      body: { text: '@agent:social_writer go on' },
    })
    const again = await harness.next()
    expect((await harness.activityOf(again.runId)).id).toBe(id)
    expect(again.dispatch).toMatchObject({ wakeReason: 'mention' })
    expect(again.dispatch.prompt).toContain('go on')
  })

  it('concurrent with a verdict: the later one decides whether the activity is blocked', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/request-review')
    const [question = ''] = await pending(harness)
    const [verdict, reported] = await Promise.allSettled([
      resolve(harness.team, question, { resolution: 'rejected', note: 'Warmer' }),
      agent.call('POST /runs/:runId/actions/report-blocker', blocker),
    ])
    expect([verdict.status, reported.status]).toEqual(['fulfilled', 'fulfilled'])
    const { id, status } = await harness.activityOf(agent.runId)
    const { blocker: standing } = await shown(harness, id)
    // The later of the two decides whether the work stands still.
    expect(standing !== undefined).toBe(status === 'blocked')
    await agent.deliver('As far as I got')
    const waiting = await harness.app.db.sql.all<{ wake_reason: string }>(
      'select wake_reason from runs where open = ?',
      [true],
    )
    expect([status, waiting]).toEqual(
      status === 'blocked' ? ['blocked', []] : ['in_progress', [{ wake_reason: 'review_feedback' }]],
    )
    expect((await harness.activityOf(agent.runId)).id).toBe(id)
  })

  it('after a verdict: the agent gets the reviewer’s note when the activity is resumed', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/request-review')
    await post(harness, agent, 'actions/create-approval', acts['actions/create-approval'])
    const [first = '', second = ''] = (await pending(harness)).toSorted()
    await resolve(harness.team, first, { resolution: 'rejected', note: 'Warmer' })
    await post(harness, agent, 'actions/report-blocker', blocker)
    await agent.deliver('As far as I got')
    expect((await harness.activityOf(agent.runId)).status).toBe('blocked')
    await resolve(harness.team, second, { resolution: 'rejected', note: 'Without prices' })
    const next = await harness.next()
    const { wakeReason, rejectionNote } = await next.call('GET /runs/:runId/context')
    expect(wakeReason).toBe('review_feedback')
    expect(rejectionNote).toContain('Warmer')
    expect(rejectionNote).toContain('Without prices')
  })
})
