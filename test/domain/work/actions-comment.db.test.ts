import { describe, expect, it } from 'vitest'
import { brief } from '../../kit/app.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { auditOf, inbox, logOf, neighbourOf, post, resolve } from '../agent-harness.ts'

const say = (harness: AgentHarness, agent: Agent, text: string) =>
  post(harness, agent, 'actions/add-comment', { text })

const runs = (harness: AgentHarness, reason: string) =>
  harness.count('select count(*) as n from runs where wake_reason = ?', reason)

/** A social post and an audit that are under way in one campaign, each in the hands of its agent. */
async function twoAtWork(harness: AgentHarness): Promise<{ writer: Agent; auditor: Agent }> {
  await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: 'Spring',
      brief,
      deliverables: [
        { type: 'social_post', quantity: 1 },
        { type: 'website_audit', quantity: 1 },
      ],
    },
  })
  const agents = [await harness.next(), await harness.next()]
  const of = (role: string) => agents.find(({ dispatch }) => dispatch.agentRole === role) as Agent
  return { writer: of('social_writer'), auditor: of('auditor') }
}

describe('agent.actions.add_comment', () => {
  it('is stored with the activity, whose status does not change', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { id, status } = await harness.activityOf(agent.runId)
    const { commentId } = await agent.call('POST /runs/:runId/actions/add-comment', {
      text: 'I left out the prices',
      type: 'intervention_note',
    })
    const { data } = await harness.team.member.call('dashboard', 'GET /activities/:activityId/comments', {
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
    expect((await harness.activityOf(agent.runId)).status).toBe(status)
    expect((await logOf(harness, id)).at(-1)).toBe('comment: Social writer: I left out the prices')
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.add_comment', resource_type: 'activity', resource_id: id, status: 201 },
    ])
    await agent.deliver('A post')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
  })

  it('wakes the mentioned agent when that has an open activity in the same campaign', async () => {
    await using harness = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(harness)
    await say(harness, writer, '@agent:auditor the shop page is down')
    // It is running: the comment becomes its next run.
    await auditor.deliver('An audit')
    const again = await harness.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'auditor', wakeReason: 'mention' })
    expect(again.dispatch.prompt).toContain('the shop page is down')
  })

  it('wakes no agent of another campaign or tenant', async () => {
    await using harness = await createAgentHarness()
    const neighbour = await neighbourOf(harness)
    const [agent, audit, theirs] = [
      await harness.order(),
      await harness.order('website_audit'),
      await neighbour.order(),
    ]
    await say(harness, audit, '@agent:social_writer the shop page is down')
    await agent.deliver('A post')
    await theirs.deliver('A post')
    expect(await runs(harness, 'mention')).toBe(0)
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
  })

  it('does not wake its author, by any of its activities', async () => {
    await using harness = await createAgentHarness()
    const { id } = await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 2 }] },
    })
    const [one, two] = [await harness.next(), await harness.next()]
    expect((await harness.activityOf(one.runId))['campaign_id']).toBe(id)
    await say(harness, one, '@agent:social_writer remember the oats')
    await one.deliver('One')
    await two.deliver('Two')
    expect(await harness.count('select count(*) as n from runs')).toBe(2)
  })

  it('with several mentions becomes one wake with all of them', async () => {
    await using harness = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(harness)
    await say(harness, writer, '@agent:auditor the shop page is down')
    await say(harness, writer, '@agent:auditor @agent:auditor and so is the blog')
    await auditor.deliver('An audit')
    const again = await harness.next()
    expect(again.dispatch.prompt).toContain('the shop page is down')
    expect(again.dispatch.prompt).toContain('and so is the blog')
    expect(await runs(harness, 'mention')).toBe(1)
  })

  it('wakes activities that can continue, and not those waiting for people', async () => {
    await using harness = await createAgentHarness()
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: {
        name: 'Spring',
        brief,
        deliverables: [
          { type: 'social_post', quantity: 2 },
          { type: 'website_audit', quantity: 1 },
        ],
      },
    })
    const agents = [await harness.next(), await harness.next(), await harness.next()]
    const [waiting, working] = agents
      .filter(({ dispatch }) => dispatch.agentRole === 'social_writer')
      .toSorted((a, b) => (a.runId < b.runId ? -1 : 1)) as [Agent, Agent]
    const auditor = agents.find(({ dispatch }) => dispatch.agentRole === 'auditor') as Agent
    await waiting.deliver('A post')
    await say(harness, auditor, '@agent:social_writer the shop page is down')
    expect((await harness.activityOf(waiting.runId)).status).toBe('awaiting_approval')
    await working.deliver('Another post')
    expect((await harness.next()).dispatch).toMatchObject({
      agentRole: 'social_writer',
      wakeReason: 'mention',
    })
  })

  it('wakes no agent whose activity is closed or waits for people', async () => {
    await using harness = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(harness)
    const mention = () => say(harness, writer, '@agent:auditor are you there?')
    const { body } = await post(harness, auditor, 'actions/request-review')
    await mention()
    expect((await harness.activityOf(auditor.runId)).status).toBe('awaiting_review')
    await auditor.deliver('As far as I got')
    await resolve(harness.team, body['approvalId'] as string, { resolution: 'approved' })
    const again = await harness.next()
    await again.fail('No idea')
    expect((await harness.activityOf(auditor.runId)).status).toBe('failed')
    await mention()
    expect((await harness.activityOf(auditor.runId)).status).toBe('failed')
    expect(await runs(harness, 'mention')).toBe(0)
    expect(again.dispatch.wakeReason).toBe('review_approved')
  })

  it('at the moment when the mentioned run fails does not reopen the failed activity', async () => {
    await using harness = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(harness)
    await Promise.all([
      say(harness, writer, '@agent:auditor one thing more'),
      auditor.fail('No idea'),
      say(harness, writer, '@agent:auditor and another'),
    ])
    expect((await harness.activityOf(auditor.runId)).status).toBe('failed')
    expect(
      await harness.count(`select count(*) as n from runs where open = ? and agent_role = 'auditor'`, true),
    ).toBe(0)
  })

  it('crossing with a comment of the other agent wakes both, and neither is lost', async () => {
    await using harness = await createAgentHarness()
    const { writer, auditor } = await twoAtWork(harness)
    const answers = await Promise.all([
      say(harness, writer, '@agent:auditor look at the shop page'),
      say(harness, auditor, '@agent:social_writer name the shop page'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    await Promise.all([writer.deliver('A post'), auditor.deliver('An audit')])
    const woken = [await harness.next(), await harness.next()].map(({ dispatch }) => dispatch.wakeReason)
    expect(woken).toEqual(['mention', 'mention'])
  })

  it('notifies mentioned users once each; other tenants’ users and unknown roles are no mention', async () => {
    await using harness = await createAgentHarness()
    const neighbour = await neighbourOf(harness)
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const { adminId } = harness.team
    await say(
      harness,
      agent,
      `@human:${adminId} @human:${adminId} @human:${neighbour.adminId} @agent:astrologer @agent:auditor: see?`,
    )
    expect(await inbox(harness, 'campaign_update')).toEqual([
      {
        user_id: adminId,
        title: expect.stringMatching(/^Social writer mentioned you on /),
        body: expect.stringContaining('see?'),
        subject_id: id,
      },
    ])
    const { data } = await harness.team.member.call('dashboard', 'GET /activities/:activityId/comments', {
      params: { activityId: id },
    })
    expect(data[0]?.mentions).toEqual([
      { type: 'human', id: adminId, name: 'Ada Admin' },
      { type: 'agent', id: 'auditor', name: 'Auditor' },
    ])
  })
})
