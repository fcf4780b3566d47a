import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { steer } from '../steering.ts'
import { createQueues, titles } from './queue-harness.ts'

/** The creation time of a row, as it is returned. */
const createdOf = async (app: TestApp, table: 'activities' | 'approvals', id: string) => {
  const row = await app.db.sql.get<{ created_on: Date | string | number }>(
    `select created_on from ${table} where id = ?`,
    [id],
  )
  return new Date(row?.created_on ?? 0).toISOString()
}

describe('cli.queue', () => {
  it('lists pending approvals by risk and due time, and blocked activities', async () => {
    const { app, ours, insert } = await createQueues()
    await using _ = app
    const { tenantId } = ours
    const about = await insert.activity(tenantId, 'Piece', {
      status: 'awaiting_approval',
      deliverable_type: 'blog_post',
    })
    await insert.approval(tenantId, 'Low', 'low', 10)
    const asked = await insert.approval(tenantId, 'High, later', 'high', 20, undefined, { content_of: about })
    await insert.approval(tenantId, 'High, sooner', 'high', 2)
    await insert.approval(tenantId, 'Too late', 'high', -1)
    await insert.approval(tenantId, 'Medium', 'medium', 1)
    await insert.blocked(tenantId, 'New', 1)
    const old = await insert.blocked(tenantId, 'Old', 5)
    await insert.activity(tenantId, 'In progress')
    await insert.failed(tenantId, 'Broken', 1)
    const queue = await ours.reviewer.call('cli', 'GET /queue', {})
    expect(titles(queue.pending)).toEqual(['High, sooner', 'High, later', 'Medium', 'Low'])
    expect(titles(queue.blocked)).toEqual(['Old', 'New'])
    expect([queue.running, queue.failed]).toEqual([[], []])
    expect(queue.counts).toEqual({ pending: 4, running: 1, blocked: 2, failed: 1 })
    expect(queue.pagination).toEqual({ hasMore: false, nextCursor: null })
    expect(queue.pending[1]).toEqual({
      activityId: about,
      type: 'blog_post',
      title: 'High, later',
      tenantId,
      tenantName: 'Ours',
      agentRole: 'social_writer',
      status: 'pending',
      riskLevel: 'high',
      ageMinutes: 60,
      createdAt: await createdOf(app, 'activities', about),
      id: asked,
      campaignName: null,
      activityStatus: 'awaiting_approval',
      approvalId: asked,
      approvalType: 'channel_action',
      dueAt: insert.at(10).toISOString(),
      expiresAt: insert.at(20).toISOString(),
      claimedBy: null,
      reason: null,
      since: insert.at(-1).toISOString(),
    })
    expect(queue.blocked[0]).toMatchObject({
      id: old,
      status: 'blocked',
      type: 'draft',
      activityId: old,
      ageMinutes: 300,
      createdAt: await createdOf(app, 'activities', old),
      approvalId: null,
      riskLevel: null,
      reason: 'No figures',
      since: insert.at(-5).toISOString(),
    })
    expect(queue.pending[0]).toMatchObject({
      activityId: null,
      createdAt: await createdOf(app, 'approvals', queue.pending[0]?.id ?? ''),
    })
    const running = await ours.reviewer.call('cli', 'GET /queue', { query: { status: 'running' } })
    expect(titles(running.running)).toEqual(['In progress'])
    const everything = await ours.reviewer.call('cli', 'GET /queue', { query: { status: 'all' } })
    expect(titles(everything.failed)).toEqual(['Broken'])
    expect(everything.failed[0]?.reason).toBe('The model refuses')
    expect(titles(everything.pending)).toHaveLength(4)
  })

  it('counts running and queued activities as running, each once', async () => {
    await using harness = await createAgentHarness({ clock: createTestClock() })
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    await harness.app.copydesk
      .asSystem({ tenantId: harness.team.tenantId })
      .agents.configure('social_writer', { concurrency: 1 })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'More', brief: 'Rye', deliverables: [{ type: 'social_post', quantity: 2 }] },
    })
    const queue = () => harness.team.reviewer.call('cli', 'GET /queue', { query: { status: 'running' } })
    const found = await harness.app.until(async () => {
      const now = await queue()
      return now.counts.running === 3 && now
    }, 'the others wait')
    expect(found.running.map(({ activityStatus }) => activityStatus)).toEqual([
      'in_progress',
      'assigned',
      'assigned',
    ])
    expect(found.running[0]).toMatchObject({
      id,
      type: 'social_post',
      campaignName: 'Spring',
      agentRole: 'social_writer',
    })
    await steer(harness.team.reviewer, id).pause()
    await agent.deliver('Text')
    const after = await harness.team.reviewer.call('cli', 'GET /queue', { query: { status: 'all' } })
    expect(
      [...after.running, ...after.blocked, ...after.failed]
        .map(({ id: one }) => one)
        .filter((one) => one === id).length,
    ).toBeLessThan(2)
  })

  it('shows who has claimed an approval until the claim expires, and paused activities', async () => {
    const { app, clock, ours, insert } = await createQueues()
    await using _ = app
    const approvalId = await insert.approval(ours.tenantId, 'Which?', 'low', 10)
    await insert.blocked(ours.tenantId, 'Held', 1, { hold: 'paused', blocker: null })
    await ours.reviewer.call('cli', 'POST /approvals/:id/claim', { params: { id: approvalId } })
    const seen = await ours.reviewer.call('cli', 'GET /queue', {})
    expect(seen.pending[0]?.claimedBy).toBe('Rita Reviewer')
    expect(seen.blocked[0]?.reason).toBe('Paused')
    clock.advance(14 * 60_000)
    const login = {
      email: 'reviewer.0.ours@test.example',
      password: 'Correct-horse-1',
      app: 'dm-portal' as const,
    }
    clock.advance(2 * 60_000)
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', { body: login })
    const later = await app.clientFor(accessToken).call('cli', 'GET /queue', {})
    expect(later.pending[0]?.claimedBy).toBeNull()
  })

  it('lists cancelled activities with the failed ones, marked as cancelled', async () => {
    const { app, ours, insert } = await createQueues()
    await using _ = app
    await insert.failed(ours.tenantId, 'Called off', 1, { failure_reason: 'cancelled_by_reviewer' })
    await insert.failed(ours.tenantId, 'Older', 3)
    await insert.failed(ours.tenantId, 'Newer', 2)
    const { failed, counts } = await ours.reviewer.call('cli', 'GET /queue', { query: { status: 'failed' } })
    expect(titles(failed)).toEqual(['Called off', 'Newer', 'Older'])
    expect(failed[0]).toMatchObject({ status: 'failed', ageMinutes: 60, reason: 'Cancelled' })
    expect(counts.failed).toBe(3)
  })
})
