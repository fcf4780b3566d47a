import type { Reply } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { keyClient } from '../../kit/key-client.ts'
import { createOperator } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'
import { addReviewer, steer } from '../steering.ts'

async function setUp() {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false })
  const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
  return { app, clock, ours, theirs, insert: createRowInserter(app, clock) }
}

/** The creation time of a row, as it is returned. */
const createdOf = async (app: TestApp, table: 'activities' | 'approvals', id: string) => {
  const row = await app.db.sql.get<{ created_on: Date | string | number }>(
    `select created_on from ${table} where id = ?`,
    [id],
  )
  return new Date(row?.created_on ?? 0).toISOString()
}

const titles = (items: ReadonlyArray<{ title: string }>) => items.map(({ title }) => title)

describe('cli.queue', () => {
  it('lists pending approvals by risk and due time, and blocked activities', async () => {
    const { app, ours, insert } = await setUp()
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
    const { app, clock, ours, insert } = await setUp()
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
    const { app, ours, insert } = await setUp()
    await using _ = app
    await insert.failed(ours.tenantId, 'Called off', 1, { failure_reason: 'cancelled_by_reviewer' })
    await insert.failed(ours.tenantId, 'Older', 3)
    await insert.failed(ours.tenantId, 'Newer', 2)
    const { failed, counts } = await ours.reviewer.call('cli', 'GET /queue', { query: { status: 'failed' } })
    expect(titles(failed)).toEqual(['Called off', 'Newer', 'Older'])
    expect(failed[0]).toMatchObject({ status: 'failed', ageMinutes: 60, reason: 'Cancelled' })
    expect(counts.failed).toBe(3)
  })

  it('filters rows and counts by deliverable type, step type and agent', async () => {
    const { app, ours, insert } = await setUp()
    await using _ = app
    const { tenantId } = ours
    const blog = { deliverable_type: 'blog_post', agent_role: 'blog_writer' }
    const about = await insert.activity(tenantId, 'Piece', { ...blog, status: 'awaiting_approval' })
    await insert.approval(tenantId, 'About the post', 'low', 10, undefined, { content_of: about })
    const linked = await insert.approval(tenantId, 'Linked to the post', 'low', 12)
    await app.db.write((tx) =>
      tx.run(
        'insert into approval_links (approval_id, activity_id, tenant_id, blocking) values (?, ?, ?, ?)',
        [linked, about, tenantId, true],
      ),
    )
    await insert.approval(tenantId, 'About nothing', 'low', 10)
    await insert.blocked(tenantId, 'Outline', 1, { ...blog, type: 'outline' })
    await insert.blocked(tenantId, 'Post', 1, { deliverable_type: 'social_post' })
    const by = async (query: { type?: string; agent?: string }) => {
      const { pending, blocked, counts } = await ours.reviewer.call('cli', 'GET /queue', { query })
      return { shown: titles([...pending, ...blocked]), counts: [counts.pending, counts.blocked] }
    }
    expect(await by({ type: 'blog_post' })).toEqual({
      shown: ['About the post', 'Linked to the post', 'Outline'],
      counts: [2, 1],
    })
    expect(await by({ type: 'outline' })).toEqual({ shown: ['Outline'], counts: [0, 1] })
    expect(await by({ agent: 'social_writer' })).toEqual({ shown: ['Post'], counts: [0, 1] })
    expect(await by({ agent: 'blog_writer', type: 'outline' })).toEqual({
      shown: ['Outline'],
      counts: [0, 1],
    })
    expect(await by({ type: 'backlink' })).toEqual({ shown: [], counts: [0, 0] })
  })

  it('returns each row once over all pages, although rows are added meanwhile', async () => {
    const { app, clock, ours, theirs, insert } = await setUp()
    await using _ = app
    const { client } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const before: string[] = []
    for (const { tenantId } of [ours, theirs])
      for (let i = 0; i < 4; i += 1) {
        before.push(await insert.approval(tenantId, 'Question', i % 2 ? 'high' : 'low', 30))
        before.push(await insert.blocked(tenantId, 'Blocked', i))
        before.push(await insert.activity(tenantId, 'In progress', { ago: i }))
        before.push(await insert.failed(tenantId, 'Failed', i + 1))
      }
    for (const reader of [
      client,
      (await createOperator(app)).client,
      await keyClient(app, (await addReviewer(app, 'third', [ours.tenantId, theirs.tenantId])).id),
    ]) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: Reply<'cli', 'GET /queue'> = await reader.call('cli', 'GET /queue', {
          query: { status: 'all', limit: 3, ...(cursor !== null && { cursor }) },
        })
        const lines = [...page.pending, ...page.blocked, ...page.running, ...page.failed]
        expect(lines.length).toBeLessThan(4)
        seen.push(...lines.map(({ id }) => id))
        cursor = page.pagination.nextCursor
        await insert.approval(ours.tenantId, 'New', 'high', 30)
        await insert.blocked(theirs.tenantId, 'New', 50)
        await insert.failed(theirs.tenantId, 'New', 0)
        clock.advance(10)
      } while (cursor !== null)
      expect(new Set(seen).size).toBe(seen.length)
      expect(before.filter((id) => !seen.includes(id))).toEqual([])
    }
  })

  it('accepts the id of a row as cursor, and rejects an invalid one and that of another list', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    const first = await insert.approval(ours.tenantId, 'First', 'high', 1)
    await insert.approval(ours.tenantId, 'Second', 'high', 2)
    const foreign = await insert.approval(theirs.tenantId, 'Foreign', 'high', 2)
    const failed = await insert.failed(ours.tenantId, 'Failed', 1)
    const after = (cursor: string) => ours.reviewer.call('cli', 'GET /queue', { query: { cursor } })
    expect(titles((await after(first)).pending)).toEqual(['Second'])
    for (const cursor of [foreign, failed, 'nonsense', '9.a.b', `6.abc.${first}`])
      expect(await refusal(after(cursor))).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field: 'cursor',
      })
  })

  it('never shows a tenant that is not assigned, by tenantId, header or key', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    await insert.approval(ours.tenantId, 'Ours', 'low', 5)
    await insert.approval(theirs.tenantId, 'Theirs', 'low', 5)
    const both = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const seen = async (client: typeof both.client, input: object = {}) =>
      titles((await client.call('cli', 'GET /queue', input)).pending)
    expect(await seen(ours.reviewer)).toEqual(['Ours'])
    expect(await seen(both.client)).toEqual(['Ours', 'Theirs'])
    expect(await seen(both.client, { query: { tenantId: theirs.tenantId } })).toEqual(['Theirs'])
    expect(await seen(both.client, { headers: { 'x-tenant-id': ours.tenantId } })).toEqual(['Ours'])
    const narrow = await keyClient(app, both.id, { tenantIds: [theirs.tenantId] })
    expect(await seen(narrow)).toEqual(['Theirs'])
    expect(await refusal(seen(narrow, { query: { tenantId: ours.tenantId } }))).toMatchObject({ status: 403 })
    expect(await refusal(seen(ours.reviewer, { query: { tenantId: theirs.tenantId } }))).toMatchObject({
      status: 403,
    })
    const two = { query: { tenantId: ours.tenantId }, headers: { 'x-tenant-id': theirs.tenantId } }
    expect(await refusal(seen(both.client, two))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'tenantId',
    })
  })
})
