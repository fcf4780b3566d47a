import { describe, expect, it } from 'vitest'
import { createTestApp, reviewerOf } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { denyUpdates } from '../../kit/denied-updates.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, inbox } from '../agent-harness.ts'

const monday = Date.UTC(2026, 3, 13, 9, 0, 0)

const approvalId = async (harness: AgentHarness) => {
  const row = await harness.app.db.sql.get<{ id: string }>(
    `select id from approvals where status = 'pending' order by id desc limit 1`,
  )
  return row?.id ?? ''
}

/** Moves the clock to an instant, and on until an event was told so often. */
async function reach(harness: AgentHarness, clock: TestClock, at: string, type: string, times: number) {
  clock.advance(Date.parse(at) - clock.now())
  await harness.app.until(async () => {
    clock.advance(1_000)
    return (await eventsOf(harness, type)).length === times
  }, `${type} was told ${times} times`)
}

const minutes = (date: Date | undefined) => date?.toISOString().slice(0, 16)

describe('the due time of an approval', () => {
  it('sends a reminder when due, raises the risk when due twice, and does not change the expiry', async () => {
    const clock = createTestClock(monday)
    await using harness = await createAgentHarness({ clock })
    const { approvals } = harness.app.copydesk.asSystem()
    const agent = await harness.order()
    await agent.deliver('A post')
    const id = await approvalId(harness)
    // Nine working hours in London, from ten in the morning on.
    const { expiresAt } = await approvals.get(id)
    expect(minutes((await approvals.get(id)).dueAt)).toBe('2026-04-14T09:00')
    expect(minutes(expiresAt)).toBe('2026-04-16T09:00')

    await reach(harness, clock, '2026-04-14T09:00Z', 'approval_overdue', 1)
    const told = (await inbox(harness, 'approval_expiring')).map(({ user_id, title }) => ({ user_id, title }))
    const title = expect.stringMatching(/^Overdue: /)
    expect(told).toEqual([
      { user_id: harness.team.adminId, title },
      { user_id: harness.team.reviewerId, title },
    ])
    const reviewer = harness.app.copydesk.as(reviewerOf(harness.team))
    const { data: seen } = await reviewer.call('dm.notifications.list', { query: {} })
    expect(seen).toMatchObject([{ type: 'approval_expiring', title, deepLink: `copydesk://approvals/${id}` }])
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'low', status: 'pending' })

    await reach(harness, clock, '2026-04-15T09:00Z', 'approval_escalated', 1)
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'medium', status: 'pending', expiresAt })
    expect(minutes((await approvals.get(id)).dueAt)).toBe('2026-04-15T13:00')
    await reach(harness, clock, '2026-04-15T13:01Z', 'approval_overdue', 2)
    // Four more hours end the day, give or take the seconds that the clock has moved on.
    await reach(harness, clock, '2026-04-16T08:00Z', 'approval_escalated', 2)
    // There is nothing above, and nothing is due after the expiry.
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'high', dueAt: expiresAt, expiresAt })
    await reach(harness, clock, '2026-04-16T09:00Z', 'approval_expired', 1)
    expect(await eventsOf(harness, 'approval_overdue')).toHaveLength(2)
    expect((await harness.activityOf(agent.runId)).status).toBe('blocked')
  })

  it('sends a reminder once, though its job cannot be marked as done at first', async () => {
    const clock = createTestClock(monday)
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await agent.deliver('A post')
    // The mark that the reminder's job is done is refused.
    const marks = `new.status = 'done' and new.kind = 'approval.due'`
    const allow = await denyUpdates(harness.app.db, 'job', marks)
    clock.advance(Date.parse('2026-04-14T09:00Z') - clock.now())
    const failed = `select count(*) as n from job where kind = 'approval.due' and attempt > 1`
    await harness.app.until(async () => {
      clock.advance(5_000)
      return (await harness.count(failed)) > 0
    }, 'the job is tried again')
    expect(await eventsOf(harness, 'approval_overdue')).toHaveLength(0)
    await allow()
    await reach(harness, clock, '2026-04-14T09:10Z', 'approval_overdue', 1)
    const open = `select count(*) as n from job where kind = 'approval.due' and status <> 'done' and run_at <= ?`
    expect(await harness.count(open, clock.date())).toBe(0)
    expect(await inbox(harness, 'approval_expiring')).toHaveLength(2)
  })

  it('emits nothing for an approval that was decided, escalated or superseded meanwhile', async () => {
    const clock = createTestClock(monday)
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 3 })
    const { approvals } = harness.app.copydesk.asSystem()
    const [first, second] = [await harness.order(), await harness.order()]
    await first.deliver('One')
    const decided = await approvalId(harness)
    await second.deliver('Two')
    const raised = await approvalId(harness)
    await approvals.resolve(decided, { resolution: 'rejected', note: 'No' })
    clock.advance(60_000)
    await approvals.escalate(raised, { newRiskLevel: 'high', reason: 'Goes out today' })
    expect(minutes((await approvals.get(raised)).dueAt)).toBe('2026-04-13T11:01')
    await reach(harness, clock, '2026-04-13T11:01Z', 'approval_overdue', 1)
    expect((await eventsOf(harness, 'approval_overdue'))[0]?.subject).toBe(raised)
    // There is no risk above: people are reminded once more.
    await reach(harness, clock, '2026-04-13T13:01Z', 'approval_overdue', 2)
    clock.advance(Date.parse('2026-04-14T09:00Z') - clock.now())
    const due = `select count(*) as n from job where kind = 'approval.due' and status <> 'done' and run_at <= ?`
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (await harness.count(due, clock.date())) === 0
    }, 'nothing is due')
    expect((await eventsOf(harness, 'approval_overdue')).map(({ subject }) => subject)).toEqual([
      raised,
      raised,
    ])
    expect(await eventsOf(harness, 'approval_escalated')).toHaveLength(1)
  })
})

describe('dashboard.approvals.hours', () => {
  it('returns office hours in the zone of the tenant until an admin sets others, also to members', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin, member } = await app.team()
    const read = () => member.call('dashboard', 'GET /approvals/hours')
    const office = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00', timezone: 'Europe/London' }
    expect(await read()).toEqual(office)
    const shop = { days: [2, 6], from: '08:30', until: '12:00' }
    await admin.call('dashboard', 'PUT /approvals/hours', { body: shop })
    expect(await read()).toEqual({ ...shop, timezone: 'Europe/London' })
    expect(await (await app.team()).member.call('dashboard', 'GET /approvals/hours')).toEqual(office)
  })
})

describe('dashboard.approvals.set_hours', () => {
  it('sets the hours in which approvals are due, for admins', async () => {
    const clock = createTestClock(monday)
    await using harness = await createAgentHarness({ clock })
    const { admin, member } = harness.team
    const read = () => member.call('dashboard', 'GET /approvals/hours')
    const set = (body: { days: number[]; from: string; until: string }, who = admin) =>
      who.call('dashboard', 'PUT /approvals/hours', { body })
    const office = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00', timezone: 'Europe/London' }
    expect(await read()).toEqual(office)
    const shop = { days: [6, 2, 6], from: '08:30', until: '12:00' }
    await expect(set(shop, member)).rejects.toMatchObject({ status: 403 })
    for (const [field, body] of [
      ['until', { ...shop, until: '08:30' }],
      ['days', { ...shop, days: [] }],
      ['days.0', { ...shop, days: [0] }],
      ['from', { ...shop, from: '8:30' }],
      ['until', { ...shop, until: '24:00' }],
    ] as const)
      await expect(set({ ...body, days: [...body.days] }), JSON.stringify(body)).rejects.toMatchObject({
        status: 400,
        field,
      })
    expect(await read()).toEqual(office)
    const kept = { days: [2, 6], from: '08:30', until: '12:00', timezone: 'Europe/London' }
    expect(await set(shop)).toEqual(kept)
    expect(await set(shop)).toEqual(kept)
    expect(await read()).toEqual(kept)
    const neighbour = await harness.app.team()
    expect(await neighbour.member.call('dashboard', 'GET /approvals/hours')).toEqual(office)
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/create-approval', {
      title: 'May we?',
      type: 'brand_direction',
    })
    // Four hours of work: half of Tuesday's three and a half are not enough, and on Saturday it has expired.
    const { dueAt, expiresAt } = await harness.app.copydesk
      .asSystem()
      .approvals.get(await approvalId(harness))
    expect(dueAt).toEqual(expiresAt)
    await set({ ...shop, days: [1, 2] })
    await agent.call('POST /runs/:runId/actions/create-approval', { title: 'And?', type: 'brand_direction' })
    const asked = await harness.app.copydesk.asSystem().approvals.get(await approvalId(harness))
    expect(minutes(asked.dueAt)).toBe('2026-04-14T09:30')
  })
})
