import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { password } from '../../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { addReviewer, refused, steer, sweepOf } from '../steering.ts'

let harness: AgentHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>
let both: Client

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await neighbourOf(harness)
  both = (await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])).client
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

const teamOf = async (client: Client, query: Record<string, string> = {}) =>
  (await client.call('dm', 'GET /team', { query: query as never })).data

/** The id of an agent of ours. */
const agentId = async (role: string, tenantId = harness.team.tenantId) =>
  (await teamOf(both, { tenantId, 'filter.role': role }))[0]?.id ?? ''

const giveAll = (principalId: string, toId: string, reviewer = harness.team.reviewer) =>
  reviewer.call('dm', 'POST /team/:principalId/reassign-activities', {
    params: { principalId },
    body: { toId, reason: 'On holiday' },
  })

describe('dm.team.list', () => {
  it('lists users and agents of all assigned tenants, of one, by kind and role', async () => {
    const all = await teamOf(both)
    const ours = all.filter(({ tenantId }) => tenantId === harness.team.tenantId)
    expect(await teamOf(harness.team.reviewer)).toEqual(ours)
    expect(await teamOf(both, { tenantId: harness.team.tenantId })).toEqual(ours)
    expect(new Set(all.map(({ tenantName }) => tenantName))).toEqual(new Set(['Tenant 1', 'Tenant 2']))
    expect(ours.slice(0, 3)).toMatchObject([
      {
        type: 'human',
        name: 'Ada Admin',
        role: 'admin',
        status: 'active',
        email: 'admin.1.tenant-1@test.example',
      },
      { type: 'human', name: 'Mia Member', role: 'member' },
      { type: 'agent', agentAdapter: 'adapter_b', runningCount: 0 },
    ])
    expect(await teamOf(both, { 'filter.type': 'agent' })).toEqual(all.filter(({ type }) => type === 'agent'))
    expect(await teamOf(both, { 'filter.role': 'member' })).toEqual(
      all.filter(({ role }) => role === 'member'),
    )
    await expect(teamOf(harness.team.reviewer, { tenantId: theirs.tenantId })).rejects.toMatchObject({
      status: 403,
    })
    await expect(teamOf(both, { 'filter.type': 'robot' })).rejects.toMatchObject({
      status: 400,
      field: 'filter.type',
    })
  })

  it('shows the current activity of an agent and its start', async () => {
    const agent = await harness.order()
    const [writer] = await teamOf(both, { tenantId: harness.team.tenantId, 'filter.role': 'social_writer' })
    expect(writer).toMatchObject({ runningCount: 1, lastActiveAt: expect.any(String) as string })
    await agent.deliver('A post')
    await steer(harness.team.reviewer, (await harness.activityOf(agent.runId)).id).cancel()
  })
})

describe('dm.team.reassign_activities', () => {
  it('reassigns all open activities of an agent to another agent, to a user, and back', async () => {
    const [first, waiting, done] = [
      await harness.order(),
      await harness.order(),
      await harness.order('email_newsletter'),
    ]
    await waiting.deliver('A post')
    const neighbour = await theirs.order()
    const from = await agentId('social_writer')
    const to = await agentId('blog_writer')
    expect(await giveAll(from, to)).toEqual({ reassigned: 2 })
    const taken = [await harness.next(), await harness.next()]
    for (const agent of taken)
      expect(agent.dispatch).toMatchObject({ agentRole: 'blog_writer', tenantId: harness.team.tenantId })
    for (const { runId } of [first, waiting])
      expect(await harness.activityOf(runId)).toMatchObject({ status: 'reassigned' })
    // Of someone else, and of another tenant.
    for (const { runId } of [done, neighbour])
      expect(await harness.activityOf(runId)).toMatchObject({ status: 'in_progress' })
    expect(await giveAll(from, to)).toEqual({ reassigned: 0 })

    expect(await giveAll(to, harness.team.adminId)).toEqual({ reassigned: 2 })
    expect(
      await harness.count(
        'select count(*) as n from activities where assignee_user_id = ?',
        harness.team.adminId,
      ),
    ).toBe(2)
    expect(await giveAll(harness.team.adminId, from)).toEqual({ reassigned: 2 })
    for (const agent of [await harness.next(), await harness.next()])
      expect(agent.dispatch.agentRole).toBe('social_writer')
    expect(await sweepOf(harness)).toEqual([])
  })

  it('keeps the order of steps: later steps of a deliverable still wait for the earlier ones', async () => {
    const from = await agentId('email_writer')
    await giveAll(from, harness.team.adminId)
    await giveAll(harness.team.adminId, from)
    await giveAll(from, await agentId('outreach_writer'))
    expect(await sweepOf(harness)).toEqual([])
    const waits = `select count(*) as n from activities where status = 'created' and agent_role = 'outreach_writer'`
    expect(await harness.count(waits)).toBeGreaterThan(0)
  })

  it('rejects assignees of different tenants, inactive ones and the same one', async () => {
    const ours = await agentId('social_writer')
    const foreign = await agentId('social_writer', theirs.tenantId)
    const system = harness.app.copydesk.asSystem()
    const { id: gone } = await system.users.create({
      email: 'gone@test.example',
      name: 'Gus Gone',
      password,
      role: 'member',
      tenantId: harness.team.tenantId,
    })
    await system.users.suspend(gone, 'Left')
    const unknown = '01HZZZZZZZZZZZZZZZZZZZZZZZ'
    for (const [from, to] of [
      [ours, foreign],
      [foreign, ours],
      [ours, theirs.adminId],
      [ours, unknown],
      [unknown, ours],
      [ours, harness.team.reviewerId],
    ] as const) {
      expect(await refused(harness, () => giveAll(from, to))).toBe('404 NOT_FOUND')
      expect(await refused(harness, () => giveAll(from, to, both))).toBe('404 NOT_FOUND')
    }
    expect(await refused(harness, () => giveAll(ours, ours))).toBe('422 UNPROCESSABLE toId')
    expect(await refused(harness, () => giveAll(ours, gone))).toBe('422 UNPROCESSABLE toId')
    // What someone has who is gone can be given to those who stay.
    expect(await giveAll(gone, ours)).toEqual({ reassigned: 0 })
  })
})
