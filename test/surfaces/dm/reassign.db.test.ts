import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { refused, steer, sweepOf } from '../steering.ts'

let harness: AgentHarness

beforeAll(async () => {
  harness = await createAgentHarness()
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

async function atWork(type: 'social_post' | 'email_newsletter' = 'social_post') {
  const agent = await harness.order(type)
  const row = await harness.activityOf(agent.runId)
  return { agent, row, id: row.id, it: steer(harness.team.reviewer, row.id) }
}

describe('dm.activities.reassign', () => {
  it('reassigns an activity to another agent with the note; the old one is told to cancel', async () => {
    const { agent, id, it } = await atWork()
    const { newActivityId, ...receipt } = await it.reassign('agent', 'blog_writer', 'Mind the oats')
    expect(receipt).toEqual({ originalActivityId: id })
    const next = await harness.next()
    expect(next.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'reassigned' })
    expect(next.dispatch.prompt).toContain('Mind the oats')
    expect((await agent.call('POST /runs/:runId/heartbeat')).cancel).toBe(true)
    expect(await it.see()).toMatchObject({ status: 'reassigned', canIntervene: false })
    expect(await steer(harness.team.reviewer, newActivityId).see()).toMatchObject({
      status: 'in_progress',
      canIntervene: true,
      comments: [{ text: 'Mind the oats', type: 'intervention_note', author: { name: 'Rita Reviewer' } }],
    })
    await agent.deliver('Too late')
    await next.deliver('A post')
    expect((await steer(harness.team.reviewer, newActivityId).see()).status).toBe('awaiting_approval')
  })

  it('reassigns an activity to a user of its tenant, who is notified, and back to the agent', async () => {
    const { agent, it } = await atWork()
    const { newActivityId } = await it.reassign('human', harness.team.adminId)
    const theirs = steer(harness.team.reviewer, newActivityId)
    expect(await theirs.see()).toMatchObject({
      status: 'assigned',
      agentRole: null,
      assignee: { id: harness.team.adminId, type: 'human', name: 'Ada Admin' },
    })
    expect(await harness.count('select count(*) as n from runs where activity_id = ?', newActivityId)).toBe(0)
    expect(await sweepOf(harness)).toEqual([])
    const back = await theirs.reassign('agent', 'social_writer')
    expect((await harness.next()).dispatch.agentRole).toBe('social_writer')
    await steer(harness.team.reviewer, back.newActivityId).cancel()
    await agent.deliver('Nothing')
  })

  it('of a later step keeps it waiting for the previous steps', async () => {
    const { agent, row } = await atWork('email_newsletter')
    const [later] = await harness.app.db.sql.all<{ id: string }>(
      `select id from activities where period_id = ? and status = 'created' order by step_number`,
      [row['period_id'] as string],
    )
    const { newActivityId } = await steer(harness.team.reviewer, later?.id ?? '').reassign(
      'agent',
      'blog_writer',
    )
    expect((await steer(harness.team.reviewer, newActivityId).see()).status).toBe('created')
    expect(harness.runtime.waiting).toBe(0)
    await agent.deliver('An outline')
    const next = await harness.next()
    expect(next.dispatch).toMatchObject({ agentRole: 'blog_writer' })
    expect(next.dispatch.prompt).toContain('An outline')
    expect(await sweepOf(harness)).toEqual([])
    // Cancelled by its successor's end, not by its own: the steps after it follow the successor.
    await steer(harness.team.reviewer, newActivityId).cancel()
    expect(await sweepOf(harness)).toEqual([])
  })

  it('withdraws the pending approvals of the old assignee', async () => {
    const { agent, it } = await atWork()
    await agent.deliver('A post')
    const approvalId = (await it.see()).approval?.id ?? ''
    const { newActivityId } = await it.reassign('agent', 'blog_writer')
    expect(
      await harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } }),
    ).toMatchObject({ status: 'expired', resolution: 'withdrawn' })
    await (await harness.next()).deliver('Another post')
    const mine = await steer(harness.team.reviewer, newActivityId).see()
    expect(mine.approval).toMatchObject({ status: 'pending' })
  })

  it('lets subtasks of the old assignee report to the new one', async () => {
    const { agent, it } = await atWork()
    await agent.call('POST /runs/:runId/actions/create-subtask', {
      title: 'Facts',
      agentRole: 'researcher',
      prompt: 'Find three facts',
    })
    const helper = await harness.next()
    await it
      .reassign('human', harness.team.adminId)
      .then(({ newActivityId }) =>
        steer(harness.team.reviewer, newActivityId).reassign('agent', 'blog_writer'),
      )
    const next = await harness.next()
    await helper.deliver('Oats are old')
    await next.deliver('Without facts')
    const again = await harness.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'subtask_completed' })
    expect(again.dispatch.prompt).toContain('Oats are old')
    await agent.deliver('Nothing')
  })

  it('of a paused activity starts the new agent at once', async () => {
    const { agent, it } = await atWork()
    await it.pause()
    await agent.deliver('A post')
    await it.reassign('agent', 'blog_writer')
    expect((await harness.next()).dispatch.agentRole).toBe('blog_writer')
    expect(await it.see()).not.toHaveProperty('hold')
  })

  it('rejects users and roles of other tenants, and a closed activity', async () => {
    const { agent, it } = await atWork()
    const neighbour = await harness.app.team()
    for (const id of [neighbour.adminId, harness.team.reviewerId, '01HZZZZZZZZZZZZZZZZZZZZZZZ', 'nobody'])
      expect(await refused(harness, () => it.reassign('human', id)), id).toBe('404 NOT_FOUND')
    expect(await refused(harness, () => it.reassign('agent', 'astrologer'))).toBe(
      '422 UNPROCESSABLE assigneeId',
    )
    await agent.deliver('A post')
    await it.cancel()
    expect(await refused(harness, () => it.reassign('agent', 'blog_writer'))).toBe('422 UNPROCESSABLE')
    const nobody = steer(harness.team.reviewer, '01HZZZZZZZZZZZZZZZZZZZZZZZ')
    expect(await refused(harness, () => nobody.reassign('agent', 'blog_writer'))).toBe('404 NOT_FOUND')
  })

  it('and a concurrent result: the result of the old assignee does not complete the activity', async () => {
    const { agent, it } = await atWork()
    const [moved] = await Promise.allSettled([it.reassign('agent', 'blog_writer'), agent.deliver('A post')])
    expect(moved.status).toBe('fulfilled')
    expect((await it.see()).status).toBe('reassigned')
    await harness.next()
    expect(await sweepOf(harness)).toEqual([])
  })
})
