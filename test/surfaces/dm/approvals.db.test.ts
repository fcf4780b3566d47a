import { describe, expect, it } from 'vitest'
import { eventsOf, inbox, neighbourOf } from '../../domain/agent-harness.ts'
import { password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { asked, detail } from '../language/asked.ts'
import { refusal } from '../refusal.ts'

const hour = 3_600_000
const unknownId = '01HZZZZZZZZZZZZZZZZZZZZZZZ'

/** The reviewer, with a token that is good now. */
async function loggedIn({ app, team }: AgentHarness) {
  const user = await app.db.sql.get<{ email: string }>('select email from users where id = ?', [
    team.reviewerId,
  ])
  const body = { email: user?.email ?? '', password, app: 'dm-portal' } as const
  return app.clientFor((await app.clientFor().call('auth', 'POST /login', { body })).accessToken)
}

describe('dm.approvals.escalate', () => {
  it('raises the risk and restarts the due time of the new risk', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { id } = await asked(harness)
    const { adminId } = harness.team
    // Tokens do not live as long as this takes.
    let reviewer = harness.team.reviewer
    const detailOf = (approvalId: string) =>
      reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })
    const escalate = (newRiskLevel: 'medium' | 'high', reason = 'Goes out tomorrow', approvalId = id) =>
      reviewer.call('dm', 'POST /approvals/:approvalId/escalate', {
        params: { approvalId },
        body: { newRiskLevel, reason },
      })
    clock.advance(71 * hour)
    reviewer = await loggedIn(harness)
    const newExpiresAt = new Date(clock.now() + 48 * hour).toISOString()
    expect(await escalate('medium')).toEqual({ approvalId: id, riskLevel: 'medium', newExpiresAt })
    expect(await detailOf(id)).toMatchObject({
      status: 'pending',
      riskLevel: 'medium',
      expiresAt: newExpiresAt,
    })
    expect(await eventsOf(harness, 'approval_escalated')).toMatchObject([{ subject: id }])
    expect((await inbox(harness, 'approval_created')).at(-1)).toMatchObject({
      user_id: adminId,
      title: expect.stringMatching(/^Escalated: /),
      body: 'Goes out tomorrow',
    })
    const before = await harness.state()
    expect(await refusal(escalate('medium'))).toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
      field: 'newRiskLevel',
    })
    expect(await refusal(escalate('high', ' '))).toMatchObject({ status: 400, field: 'reason' })
    expect(await refusal(escalate('high', 'Now', unknownId))).toMatchObject({ status: 404 })
    expect(await harness.state()).toEqual(before)
    // The old clock comes to its end, and nothing happens.
    clock.advance(2 * hour)
    const dues = `select count(*) as n from job where kind = 'approval.clock' and status <> 'done' and run_at <= ?`
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (await harness.count(dues, clock.date())) === 0
    }, 'the old clock has run down')
    reviewer = await loggedIn(harness)
    expect((await detailOf(id)).status).toBe('pending')
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: id },
      body: { resolution: 'approved' },
    })
    expect(await refusal(escalate('high'))).toMatchObject({ status: 409, code: 'CONFLICT' })
  })
})

describe('dm.approvals.bulk_resolve', () => {
  it('decides each independently: one that cannot be decided is listed with its reason', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ concurrency: 5 })
    const theirs = await neighbourOf(harness)
    const stranger = await theirs.order()
    await stranger.deliver('Theirs')
    const { data } = await theirs.reviewer.call('dm', 'GET /approvals')
    const foreign = data[0]?.id ?? ''
    const [one, decided, two] = [
      await asked(harness, 'One'),
      await asked(harness, 'Two'),
      await asked(harness, 'Three'),
    ]
    const chooser = await harness.order()
    const { approvalId: choice } = await chooser.call('POST /runs/:runId/actions/create-approval', {
      title: 'Which?',
      type: 'brand_direction',
      options: ['Warm', 'Cold'],
    })
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: decided.id },
      body: { resolution: 'rejected', note: 'No' },
    })
    // Its producer is running again, so that nothing happens by itself any more.
    await harness.next()
    const bulk = (approvalIds: string[], more: object = {}) =>
      harness.team.reviewer.call('dm', 'POST /approvals/bulk/resolve', {
        body: { approvalIds, resolution: 'approved', ...more },
      })
    const before = await harness.state()
    const fieldOf = async (call: Promise<unknown>) => {
      const answer = await refusal(call)
      return typeof answer === 'string' ? answer : answer.field
    }
    expect(await fieldOf(bulk([one.id], { resolution: 'rejected' }))).toBe('note')
    expect(await fieldOf(bulk([]))).toBe('approvalIds')
    expect(await fieldOf(bulk(Array.from({ length: 51 }, () => one.id)))).toBe('approvalIds')
    expect(await harness.state()).toEqual(before)

    const receipt = await bulk([one.id, decided.id, foreign, unknownId, choice, one.id, two.id, foreign])
    expect(receipt).toEqual({
      resolved: 2,
      reEnqueuedActivities: 2,
      failed: [
        { approvalId: decided.id, code: 'CONFLICT', reason: 'This approval is already rejected' },
        { approvalId: foreign, code: 'NOT_FOUND', reason: 'There is no approval with this id' },
        { approvalId: unknownId, code: 'NOT_FOUND', reason: 'There is no approval with this id' },
        { approvalId: choice, code: 'UNPROCESSABLE', reason: expect.stringContaining('selectedOption') },
      ],
    })
    expect((await detail(harness, one.id)).status).toBe('approved')
    expect((await detail(harness, two.id)).status).toBe('approved')
    expect((await detail(harness, choice)).status).toBe('pending')
    expect((await theirs.reviewer.call('dm', 'GET /approvals')).data[0]?.status).toBe('pending')
  })
})
