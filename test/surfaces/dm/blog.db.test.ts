import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { article, type Newsroom, openNewsroom } from '../blogging.ts'
import { refusal } from '../refusal.ts'

const forwarded = async (room: Newsroom) =>
  (await room.approvals()).findLast((one) => one.forwarded_from !== null)
const states = async (room: Newsroom) =>
  (await room.approvals()).map(({ status, resolution }) => `${status} ${resolution ?? ''}`.trim())

describe('a blog post', () => {
  it('passes from the brief over a rejection to the client’s approval', async () => {
    await using room = await openNewsroom()
    const { id } = await room.post()
    const first = await room.read()
    expect(first).toMatchObject({
      title: 'Why oats',
      slug: 'why-oats',
      status: 'dm_review',
      version: 1,
      wordCount: 11,
      metaDescription: 'Why oats last.',
      content: article('Why oats'),
      activity: { id: room.activityId, label: 'Blog post: draft', deliverableType: 'blog_post' },
      dmApprovedBy: null,
      clientApprovedBy: null,
    })
    const { jobId, ...rejected } = await room.reject('Name the shop')
    expect(rejected).toEqual({ ok: true, status: 'rejected' })
    expect(await room.post()).toMatchObject({
      status: 'rejected',
      version: 1,
      dmRejectionNote: 'Name the shop',
    })
    const writer = await room.writer()
    expect(writer.runId).toBe(jobId)
    expect(writer.dispatch.wakeReason).toBe('rejection')
    const context = await writer.call('GET /runs/:runId/context')
    expect(context).toMatchObject({ reviewerFeedback: 'Name the shop', priorOutput: first.content })
    await writer.deliver(article('Why oats', ' in Bristol'))
    expect(await room.read()).toMatchObject({
      id,
      status: 'dm_review',
      version: 2,
      wordCount: 13,
      slug: 'why-oats',
    })
    expect(await room.approve()).toEqual({ ok: true, status: 'client_review' })
    expect(await room.post()).toMatchObject({ status: 'client_review', dmApprovedBy: 'Rita Reviewer' })
    expect(await states(room)).toEqual(['rejected rejected', 'pending', 'pending'])
    const atClient = await forwarded(room)
    const told = 'select count(*) as n from notifications where user_id = ? and subject_id = ?'
    expect(await room.count(told, room.team.adminId, atClient?.id ?? '')).toBe(1)
    await room.resolve(atClient?.id ?? '', { resolution: 'approved' })
    expect(await room.post()).toMatchObject({
      status: 'client_approved',
      dmApprovedBy: 'Rita Reviewer',
      clientApprovedBy: 'Ada Admin',
      clientApprovedAt: expect.any(String),
      dmRejectionNote: null,
    })
    expect(await states(room)).toEqual(['rejected rejected', 'approved approved', 'approved approved'])
    const last = await room.writer()
    expect(last.dispatch.wakeReason).toBe('review_approved')
    await last.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    expect((await room.activityOf(last.runId)).status).toBe('done')
    expect(room.runtime.waiting).toBe(0)
    expect(await room.post()).toMatchObject({ status: 'client_approved', version: 2 })
    const acts = await room.app.db.sql.all<{ action: string }>(
      `select action from audit_records where resource_id = ? order by id`,
      [id],
    )
    expect(acts.map(({ action }) => action)).toEqual([
      'agent.runs.result',
      'blog.dm_reject',
      'agent.runs.result',
      'blog.dm_approve',
      'approval.resolve',
    ])
  })

  it('returns to its writer with the client’s note', async () => {
    await using room = await openNewsroom()
    await room.approve()
    await room.resolve((await forwarded(room))?.id ?? '', {
      resolution: 'revision_requested',
      note: 'Warmer',
    })
    expect(await room.post()).toMatchObject({ status: 'rejected', dmRejectionNote: 'Warmer' })
    expect(await states(room)).toEqual(['rejected revision_requested', 'rejected revision_requested'])
    const writer = await room.writer()
    expect(writer.dispatch.wakeReason).toBe('review_feedback')
    await writer.deliver(article('A warm bowl'))
    expect(await room.post()).toMatchObject({
      status: 'dm_review',
      version: 2,
      slug: 'a-warm-bowl',
      dmApprovedBy: null,
    })
  })

  it('is reviewed again when its writer changes it during the client’s review', async () => {
    await using room = await openNewsroom()
    await room.reject('Are you sure?')
    const writer = await room.writer()
    await writer.call('POST /runs/:runId/actions/request-review', {
      title: 'I am',
      description: 'Look again',
    })
    expect(await room.post()).toMatchObject({ status: 'dm_review', version: 1 })
    await room.approve()
    const atClient = await forwarded(room)
    await writer.deliver(article('Why oats', ' and rye'))
    expect(await room.post()).toMatchObject({ status: 'dm_review', version: 2, dmApprovedBy: null })
    expect(await refusal(room.resolve(atClient?.id ?? '', { resolution: 'approved' }))).toMatchObject({
      status: 409,
    })
    expect((await room.post()).status).toBe('dm_review')
    await room.approve()
    const again = await forwarded(room)
    expect(again?.id).not.toBe(atClient?.id)
    await room.resolve(again?.id ?? '', { resolution: 'approved' })
    expect(await room.post()).toMatchObject({ status: 'client_approved', version: 2 })
  })

  it('can be decided by its approval as well, whoever decides', async () => {
    for (const [who, by] of [
      ['admin', { clientApprovedBy: 'Ada Admin', dmApprovedBy: null }],
      ['reviewer', { clientApprovedBy: null, dmApprovedBy: 'Rita Reviewer' }],
    ] as const) {
      await using room = await openNewsroom()
      const [approval] = await room.approvals()
      await room.resolve(approval?.id ?? '', { resolution: 'approved' }, who)
      expect(await room.post()).toMatchObject({ status: 'client_approved', ...by })
      expect(await refusal(room.approve())).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
      expect(await refusal(room.reject('Late'))).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    }
  })
})

describe('dm.blog.approve', () => {
  it('is approved once by two concurrent requests, and asks the client once', async () => {
    await using room = await openNewsroom()
    await room.app.another()
    const answers = await Promise.all([1, 2, 3].map(() => refusal(room.approve())))
    expect(answers.filter((answer) => answer === 'was not refused')).toHaveLength(1)
    expect(answers.filter((answer) => answer !== 'was not refused')).toEqual(
      [1, 2].map(() => ({ status: 400, code: 'BAD_REQUEST', field: undefined })),
    )
    expect(await states(room)).toEqual(['pending', 'pending'])
  })

  it('and a concurrent rejection leave one verdict, and post and approvals agree', async () => {
    await using room = await openNewsroom()
    const answers = await Promise.all([refusal(room.approve()), refusal(room.reject('No'))])
    expect(answers.filter((answer) => answer === 'was not refused')).toHaveLength(1)
    const { status } = await room.post()
    expect(await states(room)).toEqual(status === 'rejected' ? ['rejected rejected'] : ['pending', 'pending'])
  })

  it('rejects a verdict on an outdated version, and changes nothing', async () => {
    await using room = await openNewsroom()
    const { contentHash } = await room.read()
    await room.reject('Shorter')
    await (await room.writer()).deliver(article('Oats'))
    const before = await room.state()
    expect(await refusal(room.approve(contentHash))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await refusal(room.approve('x'))).toMatchObject({ status: 400, field: 'contentHash' })
    expect(await room.state()).toEqual(before)
    expect(await room.approve((await room.read()).contentHash)).toMatchObject({ ok: true })
  })

  it('rejects expired approvals; a retry creates a new one', async () => {
    const clock = createTestClock()
    await using room = await openNewsroom(clock)
    clock.advance(72 * 3_600_000)
    await room.app.until(async () => {
      clock.advance(500)
      return (await states(room))[0] === 'expired'
    }, 'the approval expires')
    const { app } = room
    const tokenOf = async (who: 'reviewer' | 'admin') =>
      (
        await app.clientFor().call('auth', 'POST /login', {
          body: {
            email: `${who}.1.tenant-1@test.example`,
            password: 'Correct-horse-1',
            app: who === 'admin' ? 'dashboard' : 'dm-portal',
          },
        })
      ).accessToken
    const reviewer = app.clientFor(await tokenOf('reviewer'))
    const query = { tenantId: room.team.tenantId }
    const post = async () => (await reviewer.call('dm', 'GET /blog', { query })).data[0]
    const params = { id: (await post())?.id ?? '' }
    expect(await refusal(reviewer.call('dm', 'POST /blog/:id/dm-approve', { params }))).toMatchObject({
      status: 409,
    })
    const admin = app.clientFor(await tokenOf('admin'))
    await admin.call('dashboard', 'POST /activities/:activityId/retry', {
      params: { activityId: room.activityId },
    })
    await (await room.writer()).deliver(article('Why oats'))
    expect(await post()).toMatchObject({ status: 'dm_review', version: 1 })
    expect(await reviewer.call('dm', 'POST /blog/:id/dm-approve', { params })).toMatchObject({ ok: true })
  })
})

describe('dm.blog.reject', () => {
  it('requires a reason', async () => {
    await using room = await openNewsroom()
    const before = await room.state()
    expect(await refusal(room.reject('  '))).toMatchObject({ status: 400, field: 'feedback' })
    expect(await room.state()).toEqual(before)
  })
})
