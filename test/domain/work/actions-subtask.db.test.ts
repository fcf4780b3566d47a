import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, logOf, post, refusal, resolve, shown } from '../agent-harness.ts'

const subtask = { ...acts['actions/create-subtask'], agentRole: 'researcher' }

const rowOf = (desk: AgentHarness, id: unknown) =>
  desk.app.db.sql.get<Record<string, unknown>>('select * from activities where id = ?', [id as string])

describe('agent.actions.create_subtask', () => {
  it('creates an activity for the other role and suspends the parent until it is done', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const parent = await desk.activityOf(agent.runId)
    const { subtaskActivityId, ...receipt } = await agent.call(
      'POST /runs/:runId/actions/create-subtask',
      subtask,
    )
    expect(receipt).toEqual({ blocking: true, parentActivityId: parent.id })
    expect(await rowOf(desk, subtaskActivityId)).toMatchObject({
      tenant_id: desk.team.tenantId,
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
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    expect((await logOf(desk, parent.id)).at(-1)).toBe('status: Waits for the subtask “Facts”')
    expect((await shown(desk, parent.id)).subtasks).toMatchObject([
      { id: subtaskActivityId, title: 'Facts', agentRole: 'researcher' },
    ])
    expect(await auditOf(desk, agent.runId)).toMatchObject([
      { action: 'run.create_subtask', resource_id: parent.id, status: 201 },
    ])

    const helper = await desk.next()
    expect(helper.dispatch).toMatchObject({ agentRole: 'researcher', wakeReason: 'new_task' })
    expect(helper.dispatch.prompt).toContain('Find three facts')
    // The result of the suspended run is stored, and the activity goes on waiting.
    await agent.deliver('A first go')
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    await helper.deliver('Oats are grains')
    expect((await rowOf(desk, subtaskActivityId))?.['status']).toBe('done')
    const again = await desk.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      activityId: parent.id,
      wakeReason: 'subtask_completed',
      subtaskOutput: 'Oats are grains',
      priorOutput: 'A first go',
    })
  })

  it('that does not block keeps the status of the parent, and wakes no agent at its end', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const { blocking } = await agent.call('POST /runs/:runId/actions/create-subtask', {
      ...subtask,
      blocking: false,
      priority: 'high',
    })
    expect(blocking).toBe(false)
    expect((await desk.activityOf(agent.runId)).status).toBe('in_progress')
    const helper = await desk.next()
    expect((await desk.run(helper.runId))['priority']).toBe(10)
    await helper.deliver('Oats are grains')
    expect((await desk.activityOf(agent.runId)).status).toBe('in_progress')
    await agent.deliver('A post')
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_approval')
    expect(await desk.count('select count(*) as n from runs where open = ?', true)).toBe(0)
  })

  it('several of them are all waited for, and the parent gets each result', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    for (const title of ['Oats', 'Rye'])
      await post(desk, agent, 'actions/create-subtask', { ...subtask, title })
    await agent.deliver('A first go')
    const [one, two] = [await desk.next(), await desk.next()]
    await one.deliver('Oats are grains')
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_subtask')
    await two.deliver('So is rye')
    const again = await desk.next()
    const { wakeReason, subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(wakeReason).toBe('subtask_completed')
    expect(subtaskOutput).toContain('Oats are grains')
    expect(subtaskOutput).toContain('So is rye')
    expect(await desk.count(`select count(*) as n from runs where wake_reason = 'subtask_completed'`)).toBe(1)
  })

  it('several that end concurrently wake the parent once', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    for (const title of ['Oats', 'Rye'])
      await post(desk, agent, 'actions/create-subtask', { ...subtask, title })
    await agent.deliver('A first go')
    const helpers = [await desk.next(), await desk.next()]
    await Promise.all(helpers.map((helper, index) => helper.deliver(`Fact ${index}`)))
    const again = await desk.next()
    const { subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(subtaskOutput).toContain('Fact 0')
    expect(subtaskOutput).toContain('Fact 1')
    expect(await desk.count(`select count(*) as n from runs where wake_reason = 'subtask_completed'`)).toBe(1)
  })

  it('that fails resumes the parent too, with the reason', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/create-subtask', subtask)
    await agent.deliver('A first go')
    const helper = await desk.next()
    await helper.fail('Nothing to be found', { family: 'invalid' })
    const again = await desk.next()
    const { wakeReason, subtaskOutput } = await again.call('GET /runs/:runId/context')
    expect(wakeReason).toBe('subtask_completed')
    expect(subtaskOutput).toContain('Nothing to be found')
  })

  it('that ends during the parent’s run, or while the parent waits for a verdict, is not lost', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/create-subtask', subtask)
    const early = await desk.next()
    await early.deliver('Oats are grains')
    expect((await desk.activityOf(agent.runId)).status).toBe('in_progress')
    await post(desk, agent, 'actions/create-subtask', subtask)
    const { body } = await post(desk, agent, 'actions/request-review')
    await agent.deliver('A first go')
    const late = await desk.next()
    await late.deliver('So is rye')
    // The verdict is what it waits for now.
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_review')
    await resolve(desk.team, body['approvalId'] as string, { resolution: 'rejected', note: 'Warmer' })
    const again = await desk.next()
    const context = await again.call('GET /runs/:runId/context')
    expect(context).toMatchObject({ wakeReason: 'review_feedback', rejectionNote: 'Warmer' })
    expect(context.subtaskOutput).toContain('Oats are grains')
    expect(context.subtaskOutput).toContain('So is rye')
  })

  it('that ends after its parent was reassigned reopens nothing', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/create-subtask', subtask)
    const helper = await desk.next()
    await post(desk, agent, 'actions/reassign', acts['actions/reassign'])
    const successor = await desk.next()
    await agent.deliver('A first go')
    await helper.deliver('Oats are grains')
    expect((await desk.activityOf(agent.runId)).status).toBe('reassigned')
    const open = await desk.app.db.sql.all('select id from runs where open = ?', [true])
    expect(open).toEqual([{ id: successor.runId }])
  })

  it('cannot be created by a subtask', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/create-subtask', subtask)
    const helper = await desk.next()
    for (const agentRole of ['researcher', 'social_writer']) {
      expect(
        await refusal(desk, () => post(desk, helper, 'actions/create-subtask', { ...subtask, agentRole })),
      ).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
      })
    }
    // Nor by way of a successor: handed on, it is still a subtask.
    await post(desk, helper, 'actions/reassign', { toRole: 'analyst', reason: 'Figures' })
    const successor = await desk.next()
    expect(successor.dispatch.agentRole).toBe('analyst')
    expect(await refusal(desk, () => post(desk, successor, 'actions/create-subtask', subtask))).toEqual({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    await successor.deliver('42')
    await agent.deliver('A first go')
    const again = await desk.next()
    expect((await again.call('GET /runs/:runId/context')).subtaskOutput).toBe('42')
  })

  it('rejects a role without an agent, or not enabled for the tenant', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await desk.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'analyst'`, []),
    )
    for (const agentRole of ['astrologer', 'analyst']) {
      expect(
        await refusal(desk, () => post(desk, agent, 'actions/create-subtask', { ...subtask, agentRole })),
      ).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
        field: 'agentRole',
      })
    }
  })
})
