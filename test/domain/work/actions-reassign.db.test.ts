import { describe, expect, it } from 'vitest'
import { password } from '../../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, inbox, logOf, post, refusal, statusesOf } from '../agent-harness.ts'

const toRole = (role: string) => ({ toRole: role, reason: 'Not my craft' })

const rowOf = (harness: AgentHarness, id: string) =>
  harness.app.db.sql.get<Record<string, unknown>>('select * from activities where id = ?', [id])
const openRuns = (harness: AgentHarness) =>
  harness.count('select count(*) as n from runs where open = ?', true)

describe('agent.actions.reassign', () => {
  it('to a role closes the activity as reassigned and creates its successor with the same task', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const old = await harness.activityOf(agent.runId)
    const { newActivityId, ...receipt } = await agent.call(
      'POST /runs/:runId/actions/reassign',
      toRole('blog_writer'),
    )
    expect(receipt).toEqual({ originalActivityId: old.id })
    expect(await rowOf(harness, old.id)).toMatchObject({ status: 'reassigned', agent_role: 'social_writer' })
    const same = [
      'campaign_id',
      'deliverable_id',
      'period_id',
      'piece',
      'step_number',
      'title',
      'type',
    ] as const
    const successor = await rowOf(harness, newActivityId)
    for (const column of [...same, 'input_prompt', 'approval_required', 'approval_type', 'priority'])
      expect(successor?.[column], column).toEqual(old[column])
    expect(successor).toMatchObject({ agent_role: 'blog_writer', assignee_user_id: null, depth: 0 })
    expect((await logOf(harness, old.id)).at(-1)).toBe('status: Reassigned: Not my craft')
    expect((await logOf(harness, newActivityId))[0]).toBe('status: Created')
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.reassign', resource_id: old.id, status: 201 },
    ])

    const next = await harness.next()
    expect(next.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'reassigned' })
    expect(next.dispatch.prompt).toContain(old['input_prompt'])
    // What the first agent still hands in is kept and moves nothing.
    await agent.deliver('As far as I got')
    expect(await rowOf(harness, old.id)).toMatchObject({ status: 'reassigned' })
    expect(await openRuns(harness)).toBe(1)
    await next.deliver('A post')
    expect(await rowOf(harness, newActivityId)).toMatchObject({ status: 'awaiting_approval' })
  })

  it('replaces a step that others wait for by the successor', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order('email_newsletter')
    const { body } = await post(harness, agent, 'actions/reassign', toRole('blog_writer'))
    const next = await harness.next()
    await agent.deliver('By the first')
    expect(harness.runtime.waiting).toBe(0)
    await next.deliver('An outline')
    expect(await rowOf(harness, body['newActivityId'] as string)).toMatchObject({ status: 'done' })
    const draft = await harness.next()
    expect(draft.dispatch).toMatchObject({ agentRole: 'email_writer', wakeReason: 'new_task' })
    expect(draft.dispatch.prompt).toContain('An outline')
    expect(draft.dispatch.prompt).not.toContain('By the first')
  })

  it('withdraws pending approvals of the old activity, in the name of the agent', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const asked = [
      await post(harness, agent, 'actions/create-approval', {
        title: 'May we?',
        type: 'brand_direction',
        blockCurrentActivity: false,
      }),
      await post(harness, agent, 'actions/request-review'),
    ]
    await post(harness, agent, 'actions/reassign', toRole('blog_writer'))
    for (const { body } of asked) {
      const params = { approvalId: body['approvalId'] as string }
      expect(await harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params })).toMatchObject({
        status: 'expired',
        resolution: 'withdrawn',
        resolutionNote: 'The work was given to someone else: Not my craft',
        resolvedBy: { id: 'social_writer', name: 'Social writer' },
      })
    }
    expect((await rowOf(harness, id))?.['status']).toBe('reassigned')
    const query = { 'filter.status': 'pending' as const }
    const pending = async () => (await harness.team.admin.call('dashboard', 'GET /approvals', { query })).data
    expect(await pending()).toEqual([])
    await (await harness.next()).deliver('A post')
    expect(await pending()).toMatchObject([{ type: 'content_review' }])
    expect(await harness.app.copydesk.asSystem().activities.sweep()).toEqual([])
  })

  it('lets the subtasks of the old activity report to the new one', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await post(harness, agent, 'actions/create-subtask')
    const helper = await harness.next()
    await post(harness, agent, 'actions/reassign', toRole('blog_writer'))
    const next = await harness.next()
    await helper.deliver('Oats are old')
    await next.deliver('Without facts')
    const again = await harness.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'blog_writer', wakeReason: 'subtask_completed' })
    expect(again.dispatch.prompt).toContain('Oats are old')
  })

  it('to a user creates no run, and notifies the user', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { title } = await harness.activityOf(agent.runId)
    const { newActivityId } = await agent.call('POST /runs/:runId/actions/reassign', {
      toUserId: harness.team.adminId,
      reason: 'Needs a phone call',
    })
    expect(await rowOf(harness, newActivityId)).toMatchObject({
      status: 'assigned',
      agent_role: null,
      assignee_user_id: harness.team.adminId,
    })
    expect(await inbox(harness, 'campaign_update')).toMatchObject([
      { user_id: harness.team.adminId, title: `For you: ${title as string}`, subject_id: newActivityId },
    ])
    await agent.deliver('As far as I got')
    expect(await openRuns(harness)).toBe(0)
  })

  it('is executed once under concurrency', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const answers = await Promise.all(
      ['blog_writer', 'ads_writer', 'analyst'].map((role) =>
        post(harness, agent, 'actions/reassign', toRole(role)),
      ),
    )
    expect(statusesOf(answers)).toEqual([201, 422, 422])
    expect(await harness.count('select count(*) as n from activities')).toBe(2)
    expect(await openRuns(harness)).toBe(2)
  })

  it('and a concurrent blocker leave the activity closed', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const [moved, reported] = await Promise.all([
      post(harness, agent, 'actions/reassign', toRole('blog_writer')),
      post(harness, agent, 'actions/report-blocker', acts['actions/report-blocker']),
    ])
    expect(moved.status).toBe(201)
    expect([200, 422]).toContain(reported.status)
    expect((await harness.activityOf(agent.runId)).status).toBe('reassigned')
  })

  it('ends the live stream of the activity', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const stream = harness.team.member.stream('dashboard', 'GET /activities/:activityId/stream', {
      params: { activityId: id },
    })
    const last = (async () => {
      for await (const { event, data } of stream) if (event === 'error') return data
      return undefined
    })()
    await agent.call('POST /runs/:runId/stream', { delta: 'A po', sequenceNum: 0 })
    await post(harness, agent, 'actions/reassign', toRole('blog_writer'))
    expect(await last).toEqual({ activityId: id, error: 'reassigned' })
  })

  it('rejects a user who is unknown, inactive or of another tenant', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const neighbour = await harness.app.team()
    const { id: gone } = await harness.app.copydesk.asSystem().users.create({
      email: 'gone@test.example',
      name: 'Gus Gone',
      password,
      role: 'member',
      tenantId: harness.team.tenantId,
    })
    await harness.app.db.write((tx) => tx.run(`update users set status = 'deactivated' where id = ?`, [gone]))
    for (const toUserId of [neighbour.adminId, gone, '01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      expect(
        await refusal(harness, () => post(harness, agent, 'actions/reassign', { toUserId, reason: 'Yours' })),
      ).toEqual({
        status: 404,
        code: 'NOT_FOUND',
      })
    }
  })

  it('rejects a role that is not enabled', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'analyst'`, []),
    )
    for (const role of ['astrologer', 'analyst']) {
      expect(await refusal(harness, () => post(harness, agent, 'actions/reassign', toRole(role)))).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
        field: 'toRole',
      })
    }
  })

  it('rejects itself, and a role that has reassigned this activity before', async () => {
    await using harness = await createAgentHarness()
    const first = await harness.order()
    const refused = { status: 422, code: 'UNPROCESSABLE', field: 'toRole' }
    expect(
      await refusal(harness, () => post(harness, first, 'actions/reassign', toRole('social_writer'))),
    ).toEqual(refused)
    await post(harness, first, 'actions/reassign', toRole('blog_writer'))
    const second = await harness.next()
    expect(
      await refusal(harness, () => post(harness, second, 'actions/reassign', toRole('social_writer'))),
    ).toEqual(refused)
    await post(harness, second, 'actions/reassign', toRole('ads_writer'))
    const third = await harness.next()
    for (const role of ['social_writer', 'blog_writer', 'ads_writer'])
      expect(await refusal(harness, () => post(harness, third, 'actions/reassign', toRole(role)))).toEqual(
        refused,
      )
    // A person can still be asked.
    const person = { toUserId: harness.team.adminId, reason: 'No one here can' }
    expect((await post(harness, third, 'actions/reassign', person)).status).toBe(201)
  })
})
