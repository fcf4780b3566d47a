import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { eventsOf, inbox } from '../agent-harness.ts'

const monday = Date.UTC(2026, 3, 13, 9, 0, 0)

const approvalId = async (desk: AgentHarness) => {
  const row = await desk.app.db.sql.get<{ id: string }>(
    `select id from approvals where status = 'pending' order by id desc limit 1`,
  )
  return row?.id ?? ''
}

/** Moves the clock to an instant, and on until an event was told so often. */
async function reach(desk: AgentHarness, clock: TestClock, at: string, type: string, times: number) {
  clock.advance(Date.parse(at) - clock.now())
  await desk.app.until(async () => {
    clock.advance(1_000)
    return (await eventsOf(desk, type)).length === times
  }, `${type} was told ${times} times`)
  // A job whose lease ends before it is marked as done would be done again.
  const running = `select count(*) as n from job where kind = 'approval.due' and status = 'running'`
  await desk.app.until(async () => (await desk.count(running)) === 0, 'its job has ended')
}

const minutes = (date: Date | undefined) => date?.toISOString().slice(0, 16)

describe('the due time of an approval', () => {
  it('sends a reminder when due, raises the risk when due twice, and does not change the expiry', async () => {
    const clock = createTestClock(monday)
    await using desk = await createAgentHarness({ clock })
    const { approvals } = desk.app.copydesk.asSystem()
    const agent = await desk.order()
    await agent.deliver('A post')
    const id = await approvalId(desk)
    // Nine working hours in London, from ten in the morning on.
    const { expiresAt } = await approvals.get(id)
    expect(minutes((await approvals.get(id)).dueAt)).toBe('2026-04-14T09:00')
    expect(minutes(expiresAt)).toBe('2026-04-16T09:00')

    await reach(desk, clock, '2026-04-14T09:00Z', 'approval_overdue', 1)
    const told = (await inbox(desk, 'approval_expiring')).map(({ user_id, title }) => ({ user_id, title }))
    const title = expect.stringMatching(/^Overdue: /)
    expect(told).toEqual([
      { user_id: desk.team.adminId, title },
      { user_id: desk.team.reviewerId, title },
    ])
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'low', status: 'pending' })

    await reach(desk, clock, '2026-04-15T09:00Z', 'approval_escalated', 1)
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'medium', status: 'pending', expiresAt })
    expect(minutes((await approvals.get(id)).dueAt)).toBe('2026-04-15T13:00')
    await reach(desk, clock, '2026-04-15T13:01Z', 'approval_overdue', 2)
    // Four more hours end the day, give or take the seconds that the clock has moved on.
    await reach(desk, clock, '2026-04-16T08:00Z', 'approval_escalated', 2)
    // There is nothing above, and nothing is due after the expiry.
    expect(await approvals.get(id)).toMatchObject({ riskLevel: 'high', dueAt: expiresAt, expiresAt })
    await reach(desk, clock, '2026-04-16T09:00Z', 'approval_expired', 1)
    expect(await eventsOf(desk, 'approval_overdue')).toHaveLength(2)
    expect((await desk.activityOf(agent.runId)).status).toBe('blocked')
  })

  it('emits nothing for an approval that was decided, escalated or superseded meanwhile', async () => {
    const clock = createTestClock(monday)
    await using desk = await createAgentHarness({ clock })
    await desk.configure({ concurrency: 3 })
    const { approvals } = desk.app.copydesk.asSystem()
    const [first, second] = [await desk.order(), await desk.order()]
    await first.deliver('One')
    const decided = await approvalId(desk)
    await second.deliver('Two')
    const raised = await approvalId(desk)
    await approvals.resolve(decided, { resolution: 'rejected', note: 'No' })
    clock.advance(60_000)
    await approvals.escalate(raised, { newRiskLevel: 'high', reason: 'Goes out today' })
    expect(minutes((await approvals.get(raised)).dueAt)).toBe('2026-04-13T11:01')
    await reach(desk, clock, '2026-04-13T11:01Z', 'approval_overdue', 1)
    expect((await eventsOf(desk, 'approval_overdue'))[0]?.subject).toBe(raised)
    // There is no risk above: people are reminded once more.
    await reach(desk, clock, '2026-04-13T13:01Z', 'approval_overdue', 2)
    clock.advance(Date.parse('2026-04-14T09:00Z') - clock.now())
    const due = `select count(*) as n from job where kind = 'approval.due' and status <> 'done' and run_at <= ?`
    await desk.app.until(async () => {
      clock.advance(1_000)
      return (await desk.count(due, clock.date())) === 0
    }, 'nothing is due')
    expect((await eventsOf(desk, 'approval_overdue')).map(({ subject }) => subject)).toEqual([raised, raised])
    expect(await eventsOf(desk, 'approval_escalated')).toHaveLength(1)
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
    await using desk = await createAgentHarness({ clock })
    const { admin, member } = desk.team
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
    const neighbour = await desk.app.team()
    expect(await neighbour.member.call('dashboard', 'GET /approvals/hours')).toEqual(office)
    const agent = await desk.order()
    await agent.call('POST /runs/:runId/actions/create-approval', {
      title: 'May we?',
      type: 'brand_direction',
    })
    // Four hours of work: half of Tuesday's three and a half are not enough, and on Saturday it has expired.
    const { dueAt, expiresAt } = await desk.app.copydesk.asSystem().approvals.get(await approvalId(desk))
    expect(dueAt).toEqual(expiresAt)
    await set({ ...shop, days: [1, 2] })
    await agent.call('POST /runs/:runId/actions/create-approval', { title: 'And?', type: 'brand_direction' })
    const asked = await desk.app.copydesk.asSystem().approvals.get(await approvalId(desk))
    expect(minutes(asked.dueAt)).toBe('2026-04-14T09:30')
  })
})
