import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { auditOf, eventsOf, inbox } from '../../domain/agent-harness.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { asked, detail } from '../language/asked.ts'

const hour = 3_600_000

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

const send = (
  { team }: AgentHarness,
  approvalId: string,
  body: { note?: string; urgency?: 'normal' | 'urgent' } = {},
) => team.reviewer.call('dm', 'POST /approvals/:approvalId/send-to-client', { params: { approvalId }, body })

describe('dm.approvals.send_to_client', () => {
  it('asks the admins too: the first verdict, with its note, wakes the agent once', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { team } = harness
    const { id } = await asked(harness)
    clock.advance(600_000)
    const { forwardedApprovalId, notificationSent } = await send(harness, id, { note: 'Is the tone yours?' })
    expect(notificationSent).toBe(true)
    const expiresAt = new Date(clock.now() + 72 * hour).toISOString()
    // The reviewer's own question lasts as long as the client's.
    expect(await detail(harness, id)).toMatchObject({
      status: 'pending',
      forwardedTo: forwardedApprovalId,
      expiresAt,
    })
    expect(await detail(harness, forwardedApprovalId)).toMatchObject({
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
    expect((await inbox(harness, 'approval_created')).at(-1)).toMatchObject({
      user_id: team.adminId,
      body: 'Is the tone yours?',
      subject_id: forwardedApprovalId,
    })
    const again = { status: 409, code: 'CONFLICT' }
    const before = await harness.state()
    expect(await refusal(send(harness, id))).toMatchObject({ ...again, details: { forwardedApprovalId } })
    expect(await refusal(send(harness, forwardedApprovalId))).toMatchObject(again)
    expect(await harness.state()).toEqual(before)

    const edited = 'A post, as we say it'
    const receipt = await team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: forwardedApprovalId },
      body: { resolution: 'approved', note: 'Nearly', edited },
    })
    expect(receipt.reEnqueuedActivities).toBe(1)
    for (const one of [id, forwardedApprovalId])
      expect(await detail(harness, one)).toMatchObject({
        status: 'approved',
        resolution: 'approved',
        resolutionNote: 'Nearly',
        resolvedBy: { id: team.adminId, name: 'Ada Admin' },
        contentHash: sha256Hex(edited),
        edited: true,
      })
    expect(await eventsOf(harness, 'approval_resolved')).toHaveLength(2)
    expect(await harness.count(`select count(*) as n from runs where wake_reason = 'review_approved'`)).toBe(
      1,
    )
    expect(
      await harness.count(`select count(*) as n from audit_records where action = 'approval.resolve'`),
    ).toBe(2)
  })

  it('reports when no one can be notified, and shortens the due time when it is urgent', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { id } = await asked(harness)
    await harness.app.db.write((tx) =>
      tx.run(`update users set status = 'suspended' where id = ?`, [harness.team.adminId]),
    )
    const told = await harness.count('select count(*) as n from notifications')
    const { forwardedApprovalId, notificationSent } = await send(harness, id, { urgency: 'urgent' })
    expect(notificationSent).toBe(false)
    expect(await harness.count('select count(*) as n from notifications')).toBe(told)
    expect(await detail(harness, forwardedApprovalId)).toMatchObject({
      riskLevel: 'high',
      expiresAt: new Date(clock.now() + 24 * hour).toISOString(),
    })
    // The client's time is over first: the reviewer still decides, and may ask again.
    clock.advance(24 * hour)
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (await harness.count(`select count(*) as n from approvals where status = 'expired'`)) === 1
    }, "the client's approval has expired")
    const rows = await harness.app.db.sql.all('select status from activities')
    expect(rows).toEqual([{ status: 'awaiting_approval' }])
  })

  it('is superseded by a new version on both sides; the reviewer is asked again, the client is not', async () => {
    await using harness = await createAgentHarness()
    const { id, agent } = await asked(harness)
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: id },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await harness.next()
    const { approvalId } = await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    const { forwardedApprovalId } = await send(harness, approvalId)
    await again.deliver('A warmer post')
    expect(await detail(harness, approvalId)).toMatchObject({ status: 'expired', resolution: 'voided' })
    const forwarded = await detail(harness, forwardedApprovalId)
    expect(forwarded).toMatchObject({ status: 'expired', resolution: 'voided' })
    expect(forwarded).not.toHaveProperty('replacedBy')
    const open = await harness.app.db.sql.all(
      `select content_hash, forwarded_from, forwarded_to from approvals where status = 'pending'`,
    )
    expect(open).toEqual([
      { content_hash: sha256Hex('A warmer post'), forwarded_from: null, forwarded_to: null },
    ])
    expect(await auditOf(harness, again.runId)).toContainEqual(
      expect.objectContaining({ action: 'approval.voided', resource_id: forwardedApprovalId }),
    )
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_review')
  })

  it('and concurrent verdicts of both sides: one verdict counts for both', async () => {
    await using harness = await createAgentHarness()
    const { id } = await asked(harness)
    const { forwardedApprovalId } = await send(harness, id)
    const answers = await Promise.allSettled([
      harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: id },
        body: { resolution: 'approved' },
      }),
      harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: forwardedApprovalId },
        body: { resolution: 'rejected', note: 'Not ours' },
      }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [one, other] = [await detail(harness, id), await detail(harness, forwardedApprovalId)]
    expect(one.resolution).toBe(answers[0]?.status === 'fulfilled' ? 'approved' : 'rejected')
    expect([other.resolution, other.resolvedBy]).toEqual([one.resolution, one.resolvedBy])
  })
})
