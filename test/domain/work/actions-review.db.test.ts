import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { auditOf, eventsOf, inbox, logOf, post, refusal, resolve, statusesOf } from '../agent-harness.ts'

const hour = 3_600_000
const review = { title: 'Please look', description: 'Is this the tone?', contentRef: 'draft-1' }

const approval = (harness: AgentHarness, approvalId: string) =>
  harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })
const approvals = (harness: AgentHarness) => harness.count('select count(*) as n from approvals')

describe('agent.actions.request_review', () => {
  it('creates an approval and suspends the activity until the verdict', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const receipt = await agent.call('POST /runs/:runId/actions/request-review', review)
    const { approvalId } = receipt
    expect(receipt).toEqual({ approvalId, activityId: id, status: 'awaiting_review' })
    expect(await harness.activityOf(agent.runId)).toMatchObject({ status: 'awaiting_review' })
    const asked = await approval(harness, approvalId)
    expect(asked).toMatchObject({
      title: 'Please look',
      type: 'content_review',
      riskLevel: 'low',
      status: 'pending',
      createdBy: { id: 'social_writer', name: 'Social writer', type: 'agent' },
      expiresAt: new Date(clock.now() + 72 * hour).toISOString(),
      linkedActivities: [{ id, status: 'awaiting_review' }],
    })
    expect(asked.description).toBe('Is this the tone?\n\ndraft-1')
    expect((await logOf(harness, id)).slice(-2)).toEqual([
      'status: Waits for an answer to “Please look”',
      'approval: Social writer asks: Please look',
    ])
    expect(await eventsOf(harness, 'approval_created')).toMatchObject([
      {
        tenantId: harness.team.tenantId,
        subject: approvalId,
        data: { type: 'content_review', riskLevel: 'low' },
      },
    ])
    expect(await inbox(harness, 'approval_created')).toMatchObject([
      { user_id: harness.team.adminId, title: 'Please look', subject_id: approvalId },
    ])
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.request_review', resource_id: id, status: 201 },
    ])

    await agent.deliver('A draft')
    expect(await harness.activityOf(agent.runId)).toMatchObject({ status: 'awaiting_review' })
    await resolve(harness.team, approvalId, { resolution: 'revision_requested', note: 'Shorter' })
    const again = await harness.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      activityId: id,
      wakeReason: 'review_feedback',
      reviewerFeedback: 'Shorter',
      priorOutput: 'A draft',
    })
  })

  it('that showed no text is not approved with one that has come since, where the verdict says so', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const verdict = { resolution: 'approved', contentHash: null } as const
    const question = { title: 'May we?', type: 'brand_direction', blockCurrentActivity: false } as const
    const asked = await agent.call('POST /runs/:runId/actions/create-approval', question)
    await resolve(harness.team, asked.approvalId, verdict)
    const { approvalId } = await agent.call('POST /runs/:runId/actions/request-review', review)
    expect(await approval(harness, approvalId)).not.toHaveProperty('contentHash')
    await agent.deliver('A draft')
    await expect(resolve(harness.team, approvalId, verdict)).rejects.toMatchObject({
      status: 409,
      details: { reason: 'content_changed' },
    })
    const { contentHash = '', status } = await approval(harness, approvalId)
    expect(status).toBe('pending')
    await resolve(harness.team, approvalId, { ...verdict, contentHash })
  })

  it('is created once: while a review is pending another is rejected, and afterwards accepted', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const first = await post(harness, agent, 'actions/request-review', review)
    expect(
      await refusal(harness, () =>
        post(harness, agent, 'actions/request-review', { ...review, title: 'Again' }),
      ),
    ).toEqual({
      status: 409,
      code: 'CONFLICT',
    })
    await resolve(harness.team, first.body['approvalId'] as string, { resolution: 'approved' })
    expect((await post(harness, agent, 'actions/request-review', review)).status).toBe(201)
    expect(await approvals(harness)).toBe(2)
  })

  it('is created once under concurrency', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((title) =>
        post(harness, agent, 'actions/request-review', { ...review, title }),
      ),
    )
    expect(statusesOf(answers)).toEqual([201, 409, 409])
    expect(await approvals(harness)).toBe(1)
    expect(await harness.count('select count(*) as n from approval_links')).toBe(1)
    expect(await eventsOf(harness, 'approval_created')).toHaveLength(1)
  })

  it('resolved while the agent is running leads to one more run, with the verdict', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { body } = await post(harness, agent, 'actions/request-review', review)
    await resolve(harness.team, body['approvalId'] as string, { resolution: 'rejected', note: 'Warmer' })
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    // Something that is said meanwhile does not take the place of the answer.
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: (await harness.activityOf(agent.runId)).id },
      body: { text: '@agent:social_writer and mention the oats' },
    })
    await agent.fail('No idea', { family: 'invalid' })
    const again = await harness.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      wakeReason: 'review_feedback',
      rejectionNote: 'Warmer',
    })
    expect(again.dispatch.prompt).toContain('and mention the oats')
    expect(await harness.count('select count(*) as n from runs')).toBe(2)
  })
})
