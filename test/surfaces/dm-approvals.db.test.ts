import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import { password } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createDesk, type Desk } from '../kit/runtime.ts'
import { auditOf, eventsOf, inbox, neighbourOf } from '../domain/acting.ts'

const hour = 3_600_000
const unknownId = '01HZZZZZZZZZZZZZZZZZZZZZZZ'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, field, details }: ApiError) => ({
      status,
      code,
      ...(field !== undefined && { field }),
      ...(details !== undefined && { details }),
    }),
  )

const detail = ({ team }: Desk, approvalId: string) =>
  team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })

const send = (
  { team }: Desk,
  approvalId: string,
  body: { note?: string; urgency?: 'normal' | 'urgent' } = {},
) => team.reviewer.call('dm', 'POST /approvals/:approvalId/send-to-client', { params: { approvalId }, body })

/** The reviewer, with a token that is good now. */
async function loggedIn({ app, team }: Desk) {
  const user = await app.db.sql.get<{ email: string }>('select email from users where id = ?', [
    team.reviewerId,
  ])
  const body = { email: user?.email ?? '', password, app: 'dm-portal' } as const
  return app.clientFor((await app.clientFor().call('auth', 'POST /login', { body })).accessToken)
}

/** A piece that waits for a verdict. */
async function asked(desk: Desk, text = 'A post') {
  const agent = await desk.order()
  await agent.deliver(text)
  const row = await desk.app.db.sql.get<{ approval_id: string; activity_id: string }>(
    `select l.approval_id, l.activity_id from approval_links l join runs r on r.activity_id = l.activity_id where r.id = ?
     order by l.approval_id desc limit 1`,
    [agent.runId],
  )
  return { agent, id: row?.approval_id ?? '', activityId: row?.activity_id ?? '' }
}

describe('dm.approvals.send_to_client', () => {
  it('asks the admins too: their verdict is the verdict, with its note, and wakes the producer once', async () => {
    const clock = createTestClock()
    await using desk = await createDesk({ clock })
    const { team } = desk
    const { id } = await asked(desk)
    clock.advance(600_000)
    const { forwardedApprovalId, notificationSent } = await send(desk, id, { note: 'Is the tone yours?' })
    expect(notificationSent).toBe(true)
    const expiresAt = new Date(clock.now() + 72 * hour).toISOString()
    // The reviewer's own question lasts as long as the client's.
    expect(await detail(desk, id)).toMatchObject({
      status: 'pending',
      forwardedTo: forwardedApprovalId,
      expiresAt,
    })
    expect(await detail(desk, forwardedApprovalId)).toMatchObject({
      status: 'pending',
      type: 'content_review',
      riskLevel: 'low',
      description: 'Is the tone yours?',
      forwardedFrom: id,
      contentHash: sha256Hex('A post'),
      createdBy: { id: team.reviewerId, name: 'Rita Reviewer', type: 'human' },
      expiresAt,
      linkedActivities: [{ output: 'A post' }],
    })
    expect((await inbox(desk, 'approval_created')).at(-1)).toMatchObject({
      user_id: team.adminId,
      body: 'Is the tone yours?',
      subject_id: forwardedApprovalId,
    })
    const again = { status: 409, code: 'CONFLICT' }
    const before = await desk.state()
    expect(await refusal(send(desk, id))).toMatchObject({ ...again, details: { forwardedApprovalId } })
    expect(await refusal(send(desk, forwardedApprovalId))).toMatchObject(again)
    expect(await desk.state()).toEqual(before)

    const edited = 'A post, as we say it'
    const receipt = await team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: forwardedApprovalId },
      body: { resolution: 'approved', note: 'Nearly', edited },
    })
    expect(receipt.reEnqueuedActivities).toBe(1)
    for (const one of [id, forwardedApprovalId])
      expect(await detail(desk, one)).toMatchObject({
        status: 'approved',
        resolution: 'approved',
        resolutionNote: 'Nearly',
        resolvedBy: { id: team.adminId, name: 'Ada Admin' },
        contentHash: sha256Hex(edited),
        edited: true,
      })
    expect(await eventsOf(desk, 'approval_resolved')).toHaveLength(2)
    expect(await desk.count(`select count(*) as n from runs where wake_reason = 'review_approved'`)).toBe(1)
    expect(
      await desk.count(`select count(*) as n from audit_records where action = 'approval.resolve'`),
    ).toBe(2)
  })

  it('says honestly when there is nobody to tell, and asks for less time when it is urgent', async () => {
    const clock = createTestClock()
    await using desk = await createDesk({ clock })
    const { id } = await asked(desk)
    await desk.app.db.write((tx) =>
      tx.run(`update users set status = 'suspended' where id = ?`, [desk.team.adminId]),
    )
    const told = await desk.count('select count(*) as n from notifications')
    const { forwardedApprovalId, notificationSent } = await send(desk, id, { urgency: 'urgent' })
    expect(notificationSent).toBe(false)
    expect(await desk.count('select count(*) as n from notifications')).toBe(told)
    expect(await detail(desk, forwardedApprovalId)).toMatchObject({
      riskLevel: 'high',
      expiresAt: new Date(clock.now() + 24 * hour).toISOString(),
    })
    // The client's time is over first: the reviewer still decides, and may ask again.
    clock.advance(24 * hour)
    await desk.app.until(async () => {
      clock.advance(1_000)
      return (await desk.count(`select count(*) as n from approvals where status = 'expired'`)) === 1
    }, "the client's approval has expired")
    const rows = await desk.app.db.sql.all('select status from activities')
    expect(rows).toEqual([{ status: 'awaiting_approval' }])
  })

  it('is void with new content on both sides; the reviewer is asked anew, the client is not', async () => {
    await using desk = await createDesk()
    const { id, agent } = await asked(desk)
    await desk.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: id },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await desk.next()
    const { approvalId } = await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    const { forwardedApprovalId } = await send(desk, approvalId)
    await again.deliver('A warmer post')
    expect(await detail(desk, approvalId)).toMatchObject({ status: 'expired', resolution: 'voided' })
    const forwarded = await detail(desk, forwardedApprovalId)
    expect(forwarded).toMatchObject({ status: 'expired', resolution: 'voided' })
    expect(forwarded).not.toHaveProperty('replacedBy')
    const open = await desk.app.db.sql.all(
      `select content_hash, forwarded_from, forwarded_to from approvals where status = 'pending'`,
    )
    expect(open).toEqual([
      { content_hash: sha256Hex('A warmer post'), forwarded_from: null, forwarded_to: null },
    ])
    expect(await auditOf(desk, again.runId)).toContainEqual(
      expect.objectContaining({ action: 'approval.voided', resource_id: forwardedApprovalId }),
    )
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_review')
  })

  it('and both sides deciding at once: one verdict wins on both', async () => {
    await using desk = await createDesk()
    const { id } = await asked(desk)
    const { forwardedApprovalId } = await send(desk, id)
    const answers = await Promise.allSettled([
      desk.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: id },
        body: { resolution: 'approved' },
      }),
      desk.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: forwardedApprovalId },
        body: { resolution: 'rejected', note: 'Not ours' },
      }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [one, other] = [await detail(desk, id), await detail(desk, forwardedApprovalId)]
    expect(one.resolution).toBe(answers[0]?.status === 'fulfilled' ? 'approved' : 'rejected')
    expect([other.resolution, other.resolvedBy]).toEqual([one.resolution, one.resolvedBy])
  })
})

describe('dm.approvals.escalate', () => {
  it('raises the risk and restarts the clock of the new risk', async () => {
    const clock = createTestClock()
    await using desk = await createDesk({ clock })
    const { id } = await asked(desk)
    const { adminId } = desk.team
    // Tokens do not live as long as this takes.
    let reviewer = desk.team.reviewer
    const detailOf = (approvalId: string) =>
      reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })
    const escalate = (newRiskLevel: 'medium' | 'high', reason = 'Goes out tomorrow', approvalId = id) =>
      reviewer.call('dm', 'POST /approvals/:approvalId/escalate', {
        params: { approvalId },
        body: { newRiskLevel, reason },
      })
    clock.advance(71 * hour)
    reviewer = await loggedIn(desk)
    const newExpiresAt = new Date(clock.now() + 48 * hour).toISOString()
    expect(await escalate('medium')).toEqual({ approvalId: id, riskLevel: 'medium', newExpiresAt })
    expect(await detailOf(id)).toMatchObject({
      status: 'pending',
      riskLevel: 'medium',
      expiresAt: newExpiresAt,
    })
    expect(await eventsOf(desk, 'approval_escalated')).toMatchObject([{ subject: id }])
    expect((await inbox(desk, 'approval_created')).at(-1)).toMatchObject({
      user_id: adminId,
      title: expect.stringMatching(/^Escalated: /),
      body: 'Goes out tomorrow',
    })
    const before = await desk.state()
    expect(await refusal(escalate('medium'))).toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
      field: 'newRiskLevel',
    })
    expect(await refusal(escalate('high', ' '))).toMatchObject({ status: 400, field: 'reason' })
    expect(await refusal(escalate('high', 'Now', unknownId))).toMatchObject({ status: 404 })
    expect(await desk.state()).toEqual(before)
    // The old clock comes to its end, and nothing happens.
    clock.advance(2 * hour)
    const dues = `select count(*) as n from job where kind = 'approval.clock' and status <> 'done' and run_at <= ?`
    await desk.app.until(async () => {
      clock.advance(1_000)
      return (await desk.count(dues, clock.date())) === 0
    }, 'the old clock has run down')
    reviewer = await loggedIn(desk)
    expect((await detailOf(id)).status).toBe('pending')
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: id },
      body: { resolution: 'approved' },
    })
    expect(await refusal(escalate('high'))).toMatchObject({ status: 409, code: 'CONFLICT' })
  })
})

describe('dm.approvals.bulk_resolve', () => {
  it('decides each for itself: what cannot be decided is listed with its reason and holds up nothing', async () => {
    await using desk = await createDesk()
    await desk.configure({ concurrency: 5 })
    const theirs = await neighbourOf(desk)
    const stranger = await theirs.order()
    await stranger.deliver('Theirs')
    const { data } = await theirs.reviewer.call('dm', 'GET /approvals')
    const foreign = data[0]?.id ?? ''
    const [one, decided, two] = [
      await asked(desk, 'One'),
      await asked(desk, 'Two'),
      await asked(desk, 'Three'),
    ]
    const chooser = await desk.order()
    const { approvalId: choice } = await chooser.call('POST /runs/:runId/actions/create-approval', {
      title: 'Which?',
      type: 'brand_direction',
      options: ['Warm', 'Cold'],
    })
    await desk.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: decided.id },
      body: { resolution: 'rejected', note: 'No' },
    })
    // Its producer is at work again, so that nothing happens by itself any more.
    await desk.next()
    const bulk = (approvalIds: string[], more: object = {}) =>
      desk.team.reviewer.call('dm', 'POST /approvals/bulk/resolve', {
        body: { approvalIds, resolution: 'approved', ...more },
      })
    const before = await desk.state()
    const fieldOf = async (call: Promise<unknown>) => {
      const answer = await refusal(call)
      return typeof answer === 'string' ? answer : answer.field
    }
    expect(await fieldOf(bulk([one.id], { resolution: 'rejected' }))).toBe('note')
    expect(await fieldOf(bulk([]))).toBe('approvalIds')
    expect(await fieldOf(bulk(Array.from({ length: 51 }, () => one.id)))).toBe('approvalIds')
    expect(await desk.state()).toEqual(before)

    const receipt = await bulk([one.id, decided.id, foreign, unknownId, choice, one.id, two.id, foreign])
    expect(receipt).toEqual({
      resolved: 2,
      reEnqueuedActivities: 2,
      failed: [
        { approvalId: decided.id, code: 'CONFLICT', reason: 'This approval is already rejected' },
        { approvalId: foreign, code: 'NOT_FOUND', reason: 'Approval not found' },
        { approvalId: unknownId, code: 'NOT_FOUND', reason: 'Approval not found' },
        { approvalId: choice, code: 'UNPROCESSABLE', reason: expect.stringContaining('selectedOption') },
      ],
    })
    expect((await detail(desk, one.id)).status).toBe('approved')
    expect((await detail(desk, two.id)).status).toBe('approved')
    expect((await detail(desk, choice)).status).toBe('pending')
    expect((await theirs.reviewer.call('dm', 'GET /approvals')).data[0]?.status).toBe('pending')
  })
})
