import type { ApiError, Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { fingerprint } from '../../kit/rows.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const minute = 60_000

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, details }: ApiError) => ({ status, code, details }),
  )

/** Another reviewer of the same tenant. */
async function colleague({ app, team: { tenantId } }: AgentHarness): Promise<Client & { id: string }> {
  const body = { email: 'rob@test.example', password, app: 'dm-portal' } as const
  const { id } = await app.copydesk.asSystem().users.create({
    ...body,
    name: 'Rob Reviewer',
    role: 'reviewer',
    tenantIds: [tenantId],
  })
  const { accessToken } = await app.clientFor().call('auth', 'POST /login', { body })
  return { ...app.clientFor(accessToken), id }
}

const next = async (who: Client, tenantId?: string) =>
  (await who.call('dm', 'GET /approvals/next', { query: tenantId ? { tenantId } : {} })).approval

const claim = (who: Client, approvalId: string) =>
  who.call('dm', 'POST /approvals/:approvalId/claim', { params: { approvalId } })
const release = (who: Client, approvalId: string) =>
  who.call('dm', 'DELETE /approvals/:approvalId/claim', { params: { approvalId } })

describe('dm.approvals.next', () => {
  it('returns the riskiest and most overdue approval that no one else has claimed, and changes nothing', async () => {
    // A Monday, so that everything is due in the order in which it was asked.
    const clock = createTestClock(Date.UTC(2026, 3, 13, 9, 0, 0))
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 5 })
    const { reviewer, admin, reviewerId } = harness.team
    expect(await next(reviewer)).toBeNull()
    const rob = await colleague(harness)
    const theirs = await neighbourOf(harness)
    await (await theirs.order()).deliver('Theirs')
    expect(await next(reviewer)).toBeNull()

    await (await harness.order()).deliver('Older')
    clock.advance(minute)
    await (await harness.order()).deliver('Newer')
    clock.advance(minute)
    const chooser = await harness.order()
    await chooser.call('POST /runs/:runId/actions/create-approval', {
      title: 'Cash?',
      type: 'budget_authorization',
    })
    const before = await fingerprint(harness.app.db)
    const risky = await next(reviewer)
    expect(risky).toMatchObject({ title: 'Cash?', riskLevel: 'high' })
    expect(await fingerprint(harness.app.db)).toBe(before)

    const id = risky?.id ?? ''
    const claimedUntil = () => new Date(clock.now() + 15 * minute).toISOString()
    const mine = { id: reviewerId, name: 'Rita Reviewer' }
    expect(await claim(reviewer, id)).toEqual({
      approvalId: id,
      claimedBy: mine,
      claimedUntil: claimedUntil(),
    })
    // Mine is still what I should look at; others are shown something else, and whose it is.
    expect((await next(reviewer))?.id).toBe(id)
    const older = await next(rob)
    expect(older).toMatchObject({ linkedActivities: [{ output: 'Older' }] })
    expect(await next(rob, harness.team.tenantId)).toEqual(older)
    const shown = await rob.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
    expect(shown).toMatchObject({ claimedBy: mine, claimedUntil: claimedUntil() })
    const taken = { status: 409, code: 'CONFLICT', details: { reason: 'claimed', claimedBy: mine } }
    expect(await refusal(claim(rob, id))).toMatchObject(taken)
    expect(await refusal(release(rob, id))).toMatchObject(taken)

    // Renewed, let go of, and over by itself.
    clock.advance(5 * minute)
    expect((await claim(reviewer, id)).claimedUntil).toBe(claimedUntil())
    await release(reviewer, id)
    await release(reviewer, id)
    expect((await next(rob))?.id).toBe(id)
    await claim(rob, id)
    const [one, other] = await Promise.allSettled([
      claim(reviewer, older?.id ?? ''),
      claim(rob, older?.id ?? ''),
    ])
    expect([one.status, other.status].toSorted()).toEqual(['fulfilled', 'rejected'])

    // Someone else may decide all the same, and what is decided is no one's.
    await admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: id },
      body: { resolution: 'approved' },
    })
    const done = await rob.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
    expect(done).toMatchObject({ status: 'approved' })
    expect(done).not.toHaveProperty('claimedBy')
    expect(await refusal(claim(rob, id))).toMatchObject({
      status: 409,
      details: { reason: 'already_resolved' },
    })

    const loser = one.status === 'fulfilled' ? rob : reviewer
    const newer = await next(loser)
    expect(newer).toMatchObject({ linkedActivities: [{ output: 'Newer' }] })
    await loser.call('dm', 'POST /approvals/:approvalId/send-to-client', {
      params: { approvalId: newer?.id ?? '' },
      body: {},
    })
    // It is with the client, and the older one with the other reviewer.
    expect(await next(loser)).toBeNull()
    const foreign = (await next(theirs.reviewer))?.id ?? ''
    expect(await refusal(claim(rob, foreign))).toMatchObject({ status: 404 })
    expect(await refusal(release(rob, foreign))).toMatchObject({ status: 404 })
  })

  it('returns approvals again whose claim has expired', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { reviewer } = harness.team
    await (await harness.order()).deliver('A post')
    clock.advance(10 * minute)
    const rob = await colleague(harness)
    const { id = '' } = (await next(reviewer)) ?? {}
    await harness.app.db.write((tx) =>
      tx.run(`update approvals set claimed_by_id = ?, claimed_by_name = 'Rita', claimed_until = ?`, [
        harness.team.reviewerId,
        new Date(clock.now() + minute),
      ]),
    )
    expect(await next(rob)).toBeNull()
    clock.advance(minute)
    const offered = await next(rob)
    expect(offered?.id).toBe(id)
    expect(offered).not.toHaveProperty('claimedBy')
    expect((await claim(rob, id)).claimedBy.id).toBe(rob.id)
  })
})
