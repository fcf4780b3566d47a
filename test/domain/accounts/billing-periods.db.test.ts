import { describe, expect, it } from 'vitest'
import { currentSubscription } from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { bench } from './billing.ts'
import { calendarOf, invoicesOf, ranFor, subscribed, subscriptionOf } from './billing-rig.ts'

const day = 86_400_000

describe('a period that has ended', () => {
  it('is billed once, also by two processes at the same time, and the dates move in the zone of the tenant', async () => {
    const clock = createTestClock(Date.parse('2026-03-10T09:00:00Z'))
    await using harness = await bench(clock)
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) ids.push(await subscribed(harness, { zone: 'Europe/Berlin' }))
    await using one = await calendarOf(harness.app)
    await using two = await calendarOf(harness.app)
    await one.bill()
    for (const id of ids) expect(await invoicesOf(harness, id)).toEqual([])
    clock.advance(Date.parse('2026-04-01T00:30:00Z') - clock.now())
    await Promise.all([one.bill(), two.bill(), one.bill()])
    for (const id of ids) {
      expect(await invoicesOf(harness, id)).toMatchObject([
        { type: 'subscription', status: 'pending', amount: 9_900, lines: [{ kind: 'plan', amount: 9_900 }] },
      ])
      expect(await subscriptionOf(harness, id)).toMatchObject({
        start: '2026-03-31T22:00:00.000Z',
        next: '2026-04-30T22:00:00.000Z',
      })
    }
    const numbers = await harness.app.db.sql.all<{ number: string }>('select number from invoices order by 1')
    expect(numbers.map(({ number }) => number)).toEqual(ids.map((_, n) => `INV-2026-00000${n + 1}`))
  })

  it('is billed as many times as there were periods while no server was running', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness)
    await using calendar = await calendarOf(harness.app)
    clock.advance(100 * day)
    await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toHaveLength(3)
    expect((await subscriptionOf(harness, tenantId)).next).toBe('2026-05-01T00:00:00.000Z')
  })

  it('is not billed while the tenant is suspended, and the months of that time are passed over', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness)
    await using calendar = await calendarOf(harness.app)
    await harness.app.copydesk.asSystem().tenants.suspend(tenantId, 'asked for it')
    clock.advance(100 * day)
    for (let n = 0; n < 5; n += 1) await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toEqual([])
    await harness.app.copydesk.asSystem().tenants.reinstate(tenantId)
    await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toHaveLength(1)
    expect((await subscriptionOf(harness, tenantId)).next).toBe('2026-05-01T00:00:00.000Z')
  })

  it('ends a subscription that was cancelled with its usage alone; people still log in', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness, { includedMicros: 0, overageAmount: 100 })
    await using calendar = await calendarOf(harness.app)
    await harness.act(async (txn) => {
      const current = await currentSubscription(txn, tenantId)
      if (current) current.cancelsAtPeriodEnd = true
    })
    await ranFor(harness, tenantId, 2_000_000)
    clock.advance(30 * day)
    await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toMatchObject([{ amount: 200, lines: [{ kind: 'usage' }] }])
    expect(await subscriptionOf(harness, tenantId)).toMatchObject({ status: 'cancelled', next: null })
    expect(await harness.app.db.sql.all('select status from tenants')).toEqual([{ status: 'onboarding' }])
  })

  it('of a year is billed once a year, though the first billing date is the first of the next month', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness, { cycle: 'annual', amount: 99_000 })
    await using calendar = await calendarOf(harness.app)
    expect((await subscriptionOf(harness, tenantId)).next).toBe('2026-02-01T00:00:00.000Z')
    clock.advance(30 * day)
    await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toEqual([])
    expect((await subscriptionOf(harness, tenantId)).next).toBe('2027-01-01T00:00:00.000Z')
    clock.advance(340 * day)
    await calendar.bill()
    expect(await invoicesOf(harness, tenantId)).toMatchObject([{ amount: 99_000 }])
    expect((await subscriptionOf(harness, tenantId)).next).toBe('2028-01-01T00:00:00.000Z')
  })
})

describe('usage', () => {
  it('is billed to the micro-dollar, each run once, and what is found late is marked', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness, { includedMicros: 1_000_000, overageAmount: 95 })
    await using calendar = await calendarOf(harness.app)
    const costs = [1_234_567, 1, 999_999, 2_500_003]
    for (const [at, cost] of costs.entries())
      await ranFor(harness, tenantId, cost, { kind: at % 2 === 0 ? 'copywriter' : 'strategist' })
    const ended = clock.date()
    clock.advance(25 * day)
    await ranFor(harness, tenantId, 7)
    await calendar.bill()
    const [first] = await invoicesOf(harness, tenantId)
    const usage = first?.lines.filter(({ kind }) => kind === 'usage') ?? []
    expect(usage.map(({ micros }) => micros)).toEqual([2_234_566, 2_500_004])
    // 4.734570 less 1 included, at 95 cents.
    expect(usage.reduce((sum, { amount }) => sum + amount, 0)).toBe(355)
    expect(first?.subtotal).toBe(9_900 + 355)
    // A run whose cost comes after its period was billed.
    await ranFor(harness, tenantId, 4_000_000, { completedAt: ended })
    clock.advance(25 * day)
    await Promise.all([calendar.bill(), calendar.bill()])
    const [, second] = await invoicesOf(harness, tenantId)
    expect(second?.lines).toMatchObject([
      { kind: 'plan' },
      { kind: 'usage', micros: 7, runs: 1 },
      { kind: 'late_usage', micros: 4_000_000, runs: 1, amount: 285 },
    ])
    const [sums] = await harness.app.db.sql.all<Record<string, unknown>>(
      'select (select sum(cost_micros) from runs) as spent, (select sum(micros) from metered_runs) as metered, (select sum(usage_micros) from invoice_lines) as billed',
    )
    expect([Number(sums?.['metered']), Number(sums?.['billed'])]).toEqual([
      Number(sums?.['spent']),
      Number(sums?.['spent']),
    ])
  })

  it('of a plan that includes everything is not billed, and not afterwards either', async () => {
    const clock = createTestClock(Date.parse('2026-01-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness)
    await using calendar = await calendarOf(harness.app)
    await ranFor(harness, tenantId, 50_000_000)
    clock.advance(25 * day)
    await calendar.bill()
    await harness.act(async (txn) => {
      const current = await currentSubscription(txn, tenantId)
      if (current) Object.assign(current, { includedMicros: 0, overageAmount: 100 })
    })
    clock.advance(30 * day)
    await calendar.bill()
    expect((await invoicesOf(harness, tenantId)).map(({ amount }) => amount)).toEqual([9_900, 9_900])
  })
})
