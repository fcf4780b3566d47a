import { describe, expect, it } from 'vitest'
import { password } from '../../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, inbox, logOf, post, refusal, statusesOf } from '../agent-harness.ts'

const toRole = (role: string) => ({ toRole: role, reason: 'Not my craft' })

const rowOf = (desk: AgentHarness, id: string) =>
  desk.app.db.sql.get<Record<string, unknown>>('select * from activities where id = ?', [id])
const openRuns = (desk: AgentHarness) => desk.count('select count(*) as n from runs where open = ?', true)

describe('agent.actions.reassign', () => {
  it('to a role closes the activity as reassigned and creates its successor with the same task', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const old = await desk.activityOf(agent.runId)
    const { newActivityId, ...receipt } = await agent.call(
      'POST /runs/:runId/actions/reassign',
      toRole('blog_writer'),
    )
    expect(receipt).toEqual({ originalActivityId: old.id })
    expect(await rowOf(desk, old.id)).toMatchObject({ status: 'reassigned', agent_role: 'social_writer' })
    const same = [
      'campaign_id',
      'deliverable_id',
      'period_id',
      'piece',
      'step_number',
      'title',
      'type',
    ] as const
    const successor = await rowOf(desk, newActivityId)
    for (const column of [...same, 'input_prompt', 'approval_required', 'approval_type', 'priority'])
      expect(successor?.[column], column).toEqual(old[column])
    expect(successor).toMatchObject({ agent_role: 'blog_writer', assignee_user_id: null, depth: 0 })
    expect((await logOf(desk, old.id)).at(-1)).toBe('status: Reassigned: Not my craft')
    expect((await logOf(desk, newActivityId))[0]).toBe('status: Created')
    expect(await auditOf(desk, agent.runId)).toMatchObject([
      { action: 'run.reassign', resource_id: old.id, status: 201 },
    ])

    const next = await desk.next()
    expect(next.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'reassigned' })
    expect(next.dispatch.prompt).toContain(old['input_prompt'])
    // What the first agent still hands in is kept and moves nothing.
    await agent.deliver('As far as I got')
    expect(await rowOf(desk, old.id)).toMatchObject({ status: 'reassigned' })
    expect(await openRuns(desk)).toBe(1)
    await next.deliver('A post')
    expect(await rowOf(desk, newActivityId)).toMatchObject({ status: 'awaiting_approval' })
  })

  it('replaces a step that others wait for by the successor', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order('email_newsletter')
    const { body } = await post(desk, agent, 'actions/reassign', toRole('blog_writer'))
    const next = await desk.next()
    await agent.deliver('By the first')
    expect(desk.runtime.waiting).toBe(0)
    await next.deliver('An outline')
    expect(await rowOf(desk, body['newActivityId'] as string)).toMatchObject({ status: 'done' })
    const draft = await desk.next()
    expect(draft.dispatch).toMatchObject({ agentRole: 'email_writer', wakeReason: 'new_task' })
    expect(draft.dispatch.prompt).toContain('An outline')
    expect(draft.dispatch.prompt).not.toContain('By the first')
  })

  it('withdraws pending approvals of the old activity, in the name of the agent', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const { id } = await desk.activityOf(agent.runId)
    const asked = [
      await post(desk, agent, 'actions/create-approval', {
        title: 'May we?',
        type: 'brand_direction',
        blockCurrentActivity: false,
      }),
      await post(desk, agent, 'actions/request-review'),
    ]
    await post(desk, agent, 'actions/reassign', toRole('blog_writer'))
    for (const { body } of asked) {
      const params = { approvalId: body['approvalId'] as string }
      expect(await desk.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params })).toMatchObject({
        status: 'expired',
        resolution: 'withdrawn',
        resolutionNote: 'The work was given to someone else: Not my craft',
        resolvedBy: { id: 'social_writer', name: 'Social writer' },
      })
    }
    expect((await rowOf(desk, id))?.['status']).toBe('reassigned')
    const query = { 'filter.status': 'pending' as const }
    const pending = async () => (await desk.team.admin.call('dashboard', 'GET /approvals', { query })).data
    expect(await pending()).toEqual([])
    await (await desk.next()).deliver('A post')
    expect(await pending()).toMatchObject([{ type: 'content_review' }])
    expect(await desk.app.copydesk.asSystem().activities.sweep()).toEqual([])
  })

  it('lets the subtasks of the old activity report to the new one', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await post(desk, agent, 'actions/create-subtask')
    const helper = await desk.next()
    await post(desk, agent, 'actions/reassign', toRole('blog_writer'))
    const next = await desk.next()
    await helper.deliver('Oats are old')
    await next.deliver('Without facts')
    const again = await desk.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'subtask_completed' })
    expect(again.dispatch.prompt).toContain('Oats are old')
  })

  it('to a user creates no run, and notifies the user', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const { title } = await desk.activityOf(agent.runId)
    const { newActivityId } = await agent.call('POST /runs/:runId/actions/reassign', {
      toUserId: desk.team.adminId,
      reason: 'Needs a phone call',
    })
    expect(await rowOf(desk, newActivityId)).toMatchObject({
      status: 'assigned',
      agent_role: null,
      assignee_user_id: desk.team.adminId,
    })
    expect(await inbox(desk, 'campaign_update')).toMatchObject([
      { user_id: desk.team.adminId, title: `For you: ${title as string}`, subject_id: newActivityId },
    ])
    await agent.deliver('As far as I got')
    expect(await openRuns(desk)).toBe(0)
  })

  it('is executed once under concurrency', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const answers = await Promise.all(
      ['blog_writer', 'ads_writer', 'analyst'].map((role) =>
        post(desk, agent, 'actions/reassign', toRole(role)),
      ),
    )
    expect(statusesOf(answers)).toEqual([201, 422, 422])
    expect(await desk.count('select count(*) as n from activities')).toBe(2)
    expect(await openRuns(desk)).toBe(2)
  })

  it('and a concurrent blocker leave the activity closed', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const [moved, reported] = await Promise.all([
      post(desk, agent, 'actions/reassign', toRole('blog_writer')),
      post(desk, agent, 'actions/report-blocker', acts['actions/report-blocker']),
    ])
    expect(moved.status).toBe(201)
    expect([200, 422]).toContain(reported.status)
    expect((await desk.activityOf(agent.runId)).status).toBe('reassigned')
  })

  it('ends the live stream of the activity', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const { id } = await desk.activityOf(agent.runId)
    const stream = desk.team.member.stream('dashboard', 'GET /activities/:activityId/stream', {
      params: { activityId: id },
    })
    const last = (async () => {
      for await (const { event, data } of stream) if (event === 'error') return data
      return undefined
    })()
    await agent.call('POST /runs/:runId/stream', { delta: 'A po', sequenceNum: 0 })
    await post(desk, agent, 'actions/reassign', toRole('blog_writer'))
    expect(await last).toEqual({ activityId: id, error: 'reassigned' })
  })

  it('rejects a user who is unknown, inactive or of another tenant', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const neighbour = await desk.app.team()
    const { id: gone } = await desk.app.copydesk.asSystem().users.create({
      email: 'gone@test.example',
      name: 'Gus Gone',
      password,
      role: 'member',
      tenantId: desk.team.tenantId,
    })
    await desk.app.db.write((tx) => tx.run(`update users set status = 'deactivated' where id = ?`, [gone]))
    for (const toUserId of [neighbour.adminId, gone, '01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      expect(
        await refusal(desk, () => post(desk, agent, 'actions/reassign', { toUserId, reason: 'Yours' })),
      ).toEqual({
        status: 404,
        code: 'NOT_FOUND',
      })
    }
  })

  it('rejects a role that is not enabled', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await desk.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'analyst'`, []),
    )
    for (const role of ['astrologer', 'analyst']) {
      expect(await refusal(desk, () => post(desk, agent, 'actions/reassign', toRole(role)))).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
        field: 'toRole',
      })
    }
  })

  it('rejects itself, and a role that has reassigned this activity before', async () => {
    await using desk = await createAgentHarness()
    const first = await desk.order()
    const refused = { status: 422, code: 'UNPROCESSABLE', field: 'toRole' }
    expect(await refusal(desk, () => post(desk, first, 'actions/reassign', toRole('social_writer')))).toEqual(
      refused,
    )
    await post(desk, first, 'actions/reassign', toRole('blog_writer'))
    const second = await desk.next()
    expect(
      await refusal(desk, () => post(desk, second, 'actions/reassign', toRole('social_writer'))),
    ).toEqual(refused)
    await post(desk, second, 'actions/reassign', toRole('ads_writer'))
    const third = await desk.next()
    for (const role of ['social_writer', 'blog_writer', 'ads_writer'])
      expect(await refusal(desk, () => post(desk, third, 'actions/reassign', toRole(role)))).toEqual(refused)
    // A person can still be asked.
    const person = { toUserId: desk.team.adminId, reason: 'No one here can' }
    expect((await post(desk, third, 'actions/reassign', person)).status).toBe(201)
  })
})
