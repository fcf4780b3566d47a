import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, logOf, post, refusal, resolve, shown } from '../agent-harness.ts'

const subtask = { ...acts['actions/create-subtask'], agentRole: 'researcher' }

const rowOf = (harness: AgentHarness, id: unknown) =>
  harness.app.db.sql.get<Record<string, unknown>>('select * from activities where id = ?', [id as string])

describe('agent.actions.create_subtask', () => {
  it('creates an activity for the other role and suspends the parent until it is done', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const parent = await harness.activityOf(agent.runId)
    const { subtaskActivityId, ...receipt } = await agent.call(
      'POST /runs/:runId/actions/create-subtask',
      subtask,
    )
    expect(receipt).toEqual({ blocking: true, parentActivityId: parent.id })
    expect(await rowOf(harness, subtaskActivityId)).toMatchObject({
      tenant_id: harness.team.tenantId,
      campaign_id: parent['campaign_id'],
      deliverable_id: parent['deliverable_id'],
      parent_activity_id: parent.id,
      depth: 1,
      title: 'Facts',
      agent_role: 'researcher',
      input_prompt: 'Find three facts',
      priority: 0,
      period_id: null,
    })
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    expect((await logOf(harness, parent.id)).at(-1)).toBe('status: Waits for the subtask “Facts”')
    expect((await shown(harness, parent.id)).subtasks).toMatchObject([
      { id: subtaskActivityId, title: 'Facts', agentRole: 'researcher' },
    ])
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.create_subtask', resource_id: parent.id, status: 201 },
    ])

    const helper = await harness.next()
    expect(helper.dispatch).toMatchObject({ agentRole: 'researcher', wakeReason: 'new_task' })
    expect(helper.dispatch.prompt).toContain('Find three facts')
    // The result of the suspended run is stored, and the activity goes on waiting.
    await agent.deliver('A first go')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    await helper.deliver('Oats are grains')
    expect((await rowOf(harness, subtaskActivityId))?.['status']).toBe('done')
    const again = await harness.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      activityId: parent.id,
      wakeReason: 'subtask_completed',
      subtaskOutput: 'Oats are grains',
      priorOutput: 'A first go',
    })
  })

  it('that does not block keeps the status of the parent, and wakes no agent at its end', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { blocking } = await agent.call('POST /runs/:runId/actions/create-subtask', {
      ...subtask,
      blocking: false,
      priority: 'high',
    })
    expect(blocking).toBe(false)
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    const helper = await harness.next()
    expect((await harness.run(helper.runId))['priority']).toBe(10)
    await helper.deliver('Oats are grains')
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    await agent.deliver('A post')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
    expect(await harness.count('select count(*) as n from runs where open = ?', true)).toBe(0)
  })

  it('several of them are all waited for, and the parent gets each result', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    for (const title of ['Oats', 'Rye'])
      await post(harness, agent, 'actions/create-subtask', { ...subtask, title })
    await agent.deliver('A first go')
    const [one, two] = [await harness.next(), await harness.next()]
    await one.deliver('Oats are grains')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    await two.deliver('So is rye')
    const again = await harness.next()
    const { wakeReason, subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(wakeReason).toBe('subtask_completed')
    expect(subtaskOutput).toContain('Oats are grains')
    expect(subtaskOutput).toContain('So is rye')
    expect(
      await harness.count(`select count(*) as n from runs where wake_reason = 'subtask_completed'`),
    ).toBe(1)
  })

  it('several that end concurrently wake the parent once', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    for (const title of ['Oats', 'Rye'])
      await post(harness, agent, 'actions/create-subtask', { ...subtask, title })
    await agent.deliver('A first go')
    const helpers = [await harness.next(), await harness.next()]
    await Promise.all(helpers.map((helper, index) => helper.deliver(`Fact ${index}`)))
    const again = await harness.next()
    const { subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(subtaskOutput).toContain('Fact 0')
    expect(subtaskOutput).toContain('Fact 1')
    expect(
      await harness.count(`select count(*) as n from runs where wake_reason = 'subtask_completed'`),
    ).toBe(1)
  })

  it('that fails resumes the parent too, with the reason', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/create-subtask', subtask)
    await agent.deliver('A first go')
    const helper = await harness.next()
    await helper.fail('Nothing to be found', { family: 'invalid' })
    const again = await harness.next()
    const { wakeReason, subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(wakeReason).toBe('subtask_completed')
    expect(subtaskOutput).toContain('Nothing to be found')
  })

  it('that ends during the parent’s run, or while the parent waits for a verdict, is not lost', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/create-subtask', subtask)
    const early = await harness.next()
    await early.deliver('Oats are grains')
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    await post(harness, agent, 'actions/create-subtask', subtask)
    const { body } = await post(harness, agent, 'actions/request-review')
    await agent.deliver('A first go')
    const late = await harness.next()
    await late.deliver('So is rye')
    // The verdict is what it waits for now.
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_review')
    await resolve(harness.team, body['approvalId'] as string, { resolution: 'rejected', note: 'Warmer' })
    const again = await harness.next()
    const context = await again.call('GET /runs/:runId/context')
    expect(context).toMatchObject({ wakeReason: 'review_feedback', rejectionNote: 'Warmer' })
    expect(context.subtaskOutput).toContain('Oats are grains')
    expect(context.subtaskOutput).toContain('So is rye')
  })

  it('that ends after its parent was reassigned reopens nothing', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/create-subtask', subtask)
    const helper = await harness.next()
    await post(harness, agent, 'actions/reassign', acts['actions/reassign'])
    const successor = await harness.next()
    await agent.deliver('A first go')
    await helper.deliver('Oats are grains')
    expect((await harness.activityOf(agent.runId)).status).toBe('reassigned')
    const open = await harness.app.db.sql.all('select id from runs where open = ?', [true])
    expect(open).toEqual([{ id: successor.runId }])
  })

  it('is one of 50 at most, each of which may spend as much as its parent', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const another = { ...subtask, blocking: false }
    for (let n = 1; n <= 50; n += 1)
      expect((await post(harness, agent, 'actions/create-subtask', another)).status).toBe(201)
    const refused = await post(harness, agent, 'actions/create-subtask', another)
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'UNPROCESSABLE' } } })
    const { id } = await harness.activityOf(agent.runId)
    expect(await harness.count('select count(*) as n from activities where parent_activity_id = ?', id)).toBe(
      50,
    )
  })

  it('cannot be created by a subtask', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/create-subtask', subtask)
    const helper = await harness.next()
    for (const agentRole of ['researcher', 'social_writer']) {
      expect(
        await refusal(harness, () =>
          post(harness, helper, 'actions/create-subtask', { ...subtask, agentRole }),
        ),
      ).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
      })
    }
    // Nor by way of a successor: handed on, it is still a subtask.
    await post(harness, helper, 'actions/reassign', { toRole: 'analyst', reason: 'Figures' })
    const successor = await harness.next()
    expect(successor.dispatch.agentRole).toBe('analyst')
    expect(await refusal(harness, () => post(harness, successor, 'actions/create-subtask', subtask))).toEqual(
      {
        status: 422,
        code: 'UNPROCESSABLE',
      },
    )
    await successor.deliver('42')
    await agent.deliver('A first go')
    const again = await harness.next()
    expect((await again.call('GET /runs/:runId/context')).subtaskOutput).toBe('42')
  })

  it('rejects a role without an agent, or not enabled for the tenant', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'analyst'`, []),
    )
    for (const agentRole of ['astrologer', 'analyst']) {
      expect(
        await refusal(harness, () =>
          post(harness, agent, 'actions/create-subtask', { ...subtask, agentRole }),
        ),
      ).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
        field: 'agentRole',
      })
    }
  })
})
