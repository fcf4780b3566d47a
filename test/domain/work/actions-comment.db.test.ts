import { describe, expect, it } from 'vitest'
import { brief } from '../../kit/app.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { auditOf, inbox, logOf, neighbourOf, post, resolve } from '../agent-harness.ts'

const say = (desk: AgentHarness, agent: Agent, text: string) =>
  post(desk, agent, 'actions/add-comment', { text })

const runs = (desk: AgentHarness, reason: string) =>
  desk.count('select count(*) as n from runs where wake_reason = ?', reason)

/** A social post and an audit that are under way in one campaign, each in the hands of its agent. */
async function twoAtWork(desk: AgentHarness): Promise<{ writer: Agent; auditor: Agent }> {
  await desk.team.admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: 'Spring',
      brief,
      deliverables: [
        { type: 'social_post', quantity: 1 },
        { type: 'website_audit', quantity: 1 },
      ],
    },
  })
  const agents = [await desk.next(), await desk.next()]
  const of = (role: string) => agents.find(({ dispatch }) => dispatch.agentRole === role) as Agent
  return { writer: of('social_writer'), auditor: of('auditor') }
}

describe('agent.actions.add_comment', () => {
  it('is stored with the activity, whose status does not change', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const { id, status } = await desk.activityOf(agent.runId)
    const { commentId } = await agent.call('POST /runs/:runId/actions/add-comment', {
      text: 'I left out the prices',
      type: 'intervention_note',
    })
    const { data } = await desk.team.member.call('dashboard', 'GET /activities/:activityId/comments', {
      params: { activityId: id },
    })
    expect(data).toEqual([
      {
        id: commentId,
        text: 'I left out the prices',
        type: 'intervention_note',
        author: { id: 'social_writer', name: 'Social writer', type: 'agent' },
        mentions: [],
        createdOn: expect.any(String),
      },
    ])
    expect((await desk.activityOf(agent.runId)).status).toBe(status)
    expect((await logOf(desk, id)).at(-1)).toBe('comment: Social writer: I left out the prices')
    expect(await auditOf(desk, agent.runId)).toMatchObject([
      { action: 'run.add_comment', resource_type: 'activity', resource_id: id, status: 201 },
    ])
    await agent.deliver('A post')
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_approval')
  })

  it('wakes the mentioned agent when that has an open activity in the same campaign', async () => {
    await using desk = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(desk)
    await say(desk, writer, '@agent:auditor the shop page is down')
    // It is running: the comment becomes its next run.
    await auditor.deliver('An audit')
    const again = await desk.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'auditor', wakeReason: 'mention' })
    expect(again.dispatch.prompt).toContain('the shop page is down')
  })

  it('wakes no agent of another campaign or tenant', async () => {
    await using desk = await createAgentHarness()
    const neighbour = await neighbourOf(desk)
    const [agent, audit, theirs] = [
      await desk.order(),
      await desk.order('website_audit'),
      await neighbour.order(),
    ]
    await say(desk, audit, '@agent:social_writer the shop page is down')
    await agent.deliver('A post')
    await theirs.deliver('A post')
    expect(await runs(desk, 'mention')).toBe(0)
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_approval')
  })

  it('does not wake its author, by any of its activities', async () => {
    await using desk = await createAgentHarness()
    const { id } = await desk.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 2 }] },
    })
    const [one, two] = [await desk.next(), await desk.next()]
    expect((await desk.activityOf(one.runId))['campaign_id']).toBe(id)
    await say(desk, one, '@agent:social_writer remember the oats')
    await one.deliver('One')
    await two.deliver('Two')
    expect(await desk.count('select count(*) as n from runs')).toBe(2)
  })

  it('with several mentions becomes one wake with all of them', async () => {
    await using desk = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(desk)
    await say(desk, writer, '@agent:auditor the shop page is down')
    await say(desk, writer, '@agent:auditor @agent:auditor and so is the blog')
    await auditor.deliver('An audit')
    const again = await desk.next()
    expect(again.dispatch.prompt).toContain('the shop page is down')
    expect(again.dispatch.prompt).toContain('and so is the blog')
    expect(await runs(desk, 'mention')).toBe(1)
  })

  it('wakes activities that can continue, and not those waiting for people', async () => {
    await using desk = await createAgentHarness()
    await desk.team.admin.call('dashboard', 'POST /campaigns', {
      body: {
        name: 'Spring',
        brief,
        deliverables: [
          { type: 'social_post', quantity: 2 },
          { type: 'website_audit', quantity: 1 },
        ],
      },
    })
    const agents = [await desk.next(), await desk.next(), await desk.next()]
    const [waiting, working] = agents
      .filter(({ dispatch }) => dispatch.agentRole === 'social_writer')
      .toSorted((a, b) => (a.runId < b.runId ? -1 : 1)) as [Agent, Agent]
    const auditor = agents.find(({ dispatch }) => dispatch.agentRole === 'auditor') as Agent
    await waiting.deliver('A post')
    await say(desk, auditor, '@agent:social_writer the shop page is down')
    expect((await desk.activityOf(waiting.runId)).status).toBe('awaiting_approval')
    await working.deliver('Another post')
    expect((await desk.next()).dispatch).toMatchObject({ agentRole: 'social_writer', wakeReason: 'mention' })
  })

  it('wakes no agent whose activity is closed or waits for people', async () => {
    await using desk = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(desk)
    const mention = () => say(desk, writer, '@agent:auditor are you there?')
    const { body } = await post(desk, auditor, 'actions/request-review')
    await mention()
    expect((await desk.activityOf(auditor.runId)).status).toBe('awaiting_review')
    await auditor.deliver('As far as I got')
    await resolve(desk.team, body['approvalId'] as string, { resolution: 'approved' })
    const again = await desk.next()
    await again.fail('No idea')
    expect((await desk.activityOf(auditor.runId)).status).toBe('failed')
    await mention()
    expect((await desk.activityOf(auditor.runId)).status).toBe('failed')
    expect(await runs(desk, 'mention')).toBe(0)
    expect(again.dispatch.wakeReason).toBe('review_approved')
  })

  it('at the moment when the mentioned run fails does not reopen the failed activity', async () => {
    await using desk = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(desk)
    await Promise.all([
      say(desk, writer, '@agent:auditor one thing more'),
      auditor.fail('No idea'),
      say(desk, writer, '@agent:auditor and another'),
    ])
    expect((await desk.activityOf(auditor.runId)).status).toBe('failed')
    expect(
      await desk.count(`select count(*) as n from runs where open = ? and agent_role = 'auditor'`, true),
    ).toBe(0)
  })

  it('crossing with a comment of the other agent wakes both, and neither is lost', async () => {
    await using desk = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(desk)
    const answers = await Promise.all([
      say(desk, writer, '@agent:auditor look at the shop page'),
      say(desk, auditor, '@agent:social_writer name the shop page'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    await Promise.all([writer.deliver('A post'), auditor.deliver('An audit')])
    const woken = [await desk.next(), await desk.next()].map(({ dispatch }) => dispatch.wakeReason)
    expect(woken).toEqual(['mention', 'mention'])
  })

  it('notifies mentioned users once each; other tenants’ users and unknown roles are no mention', async () => {
    await using desk = await createAgentHarness()
    const neighbour = await neighbourOf(desk)
    const agent = await desk.order()
    const { id } = await desk.activityOf(agent.runId)
    const { adminId } = desk.team
    await say(
      desk,
      agent,
      `@human:${adminId} @human:${adminId} @human:${neighbour.adminId} @agent:astrologer @agent:auditor: see?`,
    )
    expect(await inbox(desk, 'campaign_update')).toEqual([
      {
        user_id: adminId,
        title: expect.stringMatching(/^Social writer mentioned you on /),
        body: expect.stringContaining('see?'),
        subject_id: id,
      },
    ])
    const { data } = await desk.team.member.call('dashboard', 'GET /activities/:activityId/comments', {
      params: { activityId: id },
    })
    expect(data[0]?.mentions).toEqual([
      { type: 'human', id: adminId, name: 'Ada Admin' },
      { type: 'agent', id: 'auditor', name: 'Auditor' },
    ])
  })
})
