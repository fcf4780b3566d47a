import { describe, expect, it } from 'vitest'
import { ownUsage } from '../../../packages/core/src/domain/accounts/billing/own.ts'
import type { PlanChoice } from '../../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  changeSubscription,
  currentSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { parts } from '../agents.ts'
import { bench, choice } from './billing.ts'
import { calendarOf, invoicesOf, ranFor, subscribed, subscriptionOf } from './billing-rig.ts'

const day = 86_400_000
const usd = 1_000_000

/** A tenant that pays a dollar for each dollar of runs beyond ten in a month, which begins now. */
async function metered() {
  const clock = createTestClock(Date.parse('2026-04-01T00:00:00Z'))
  const harness = await bench(clock)
  const tenantId = await subscribed(harness, { includedMicros: 10 * usd, overageAmount: 100 })
  const calendar = await calendarOf(harness.app)
  const inside = await parts(harness.app)
  return {
    clock,
    harness,
    tenantId,
    change: (terms: Partial<PlanChoice>, plan = 'agency') =>
      harness.act(async (txn) => {
        const current = await currentSubscription(txn, tenantId)
        if (current) await changeSubscription(txn, current, await choice(txn, plan, terms))
      }),
    shown: () => ownUsage({ ...inside.system(), scope: [tenantId] }),
    /** Ends the month. @returns the lines for usage */
    async bill() {
      clock.advance(Date.parse('2026-05-01T00:00:01Z') - clock.now())
      await calendar.bill()
      const lines = (await invoicesOf(harness, tenantId)).flatMap((invoice) => invoice.lines)
      return lines.filter(({ kind }) => kind === 'usage')
    },
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await calendar[Symbol.asyncDispose]()
      await harness[Symbol.asyncDispose]()
    },
  }
}

describe('usage of a period in which the plan was changed', () => {
  it('is not included by a plan that came afterwards, even if that includes everything', async () => {
    await using rig = await metered()
    rig.clock.advance(29 * day)
    await ranFor(rig.harness, rig.tenantId, 30 * usd)
    rig.clock.advance(1)
    await rig.change({ includedMicros: null, overageAmount: 0 })
    await ranFor(rig.harness, rig.tenantId, 500 * usd)
    expect(await rig.shown()).toMatchObject({ includedUsd: null, usedUsd: 530, overageAmount: 2_000 })
    expect(await rig.bill()).toMatchObject([{ micros: 30 * usd, amount: 2_000 }])
  })

  it('is included by each plan in proportion to its time, and what was included stays so', async () => {
    await using rig = await metered()
    rig.clock.advance(5 * day)
    await ranFor(rig.harness, rig.tenantId, 9 * usd)
    rig.clock.advance(10 * day)
    await rig.change({ includedMicros: 40 * usd, overageAmount: 50 })
    await ranFor(rig.harness, rig.tenantId, 36 * usd)
    // Half of 10 and half of 40.
    expect(await rig.shown()).toMatchObject({ includedUsd: 25, usedUsd: 45, overageAmount: 1_000 })
    expect(await rig.bill()).toMatchObject([
      { micros: 9 * usd, amount: 0 },
      { micros: 36 * usd, amount: 1_000 },
    ])
  })

  it('is not included twice when the plan is changed to and fro', async () => {
    await using rig = await metered()
    for (let n = 0; n < 3; n += 1) {
      await ranFor(rig.harness, rig.tenantId, 10 * usd)
      rig.clock.advance(1)
      await rig.change({ includedMicros: 9 * usd, overageAmount: 100 })
      rig.clock.advance(1)
      await rig.change({ includedMicros: 10 * usd, overageAmount: 100 }, 'pro')
    }
    expect((await rig.shown()).overageAmount).toBe(2_000)
    const lines = await rig.bill()
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(2_000)
    // The next month begins anew.
    await ranFor(rig.harness, rig.tenantId, 10 * usd)
    expect(await rig.shown()).toMatchObject({ includedUsd: 10, usedUsd: 10, overageAmount: 0 })
  })

  it('cannot be parted without end', async () => {
    await using rig = await metered()
    for (let n = 0; n < 100; n += 1) {
      rig.clock.advance(1)
      await rig.change({ includedMicros: n * usd, amount: 9_900 })
    }
    await expect(rig.change({ includedMicros: 1 })).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
  })
})

describe('the billing day', () => {
  it.each([
    ['America/New_York', '2026-04-30T22:00:00.000Z', '2026-06-01T04:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-04-30T22:00:00.000Z', '2026-05-31T10:00:00.000Z'],
  ])('stays the first of the month when the tenant moves to %s', async (zone, billed, next) => {
    const clock = createTestClock(Date.parse('2026-04-10T09:00:00Z'))
    await using harness = await bench(clock)
    const tenantId = await subscribed(harness, { zone: 'Europe/Berlin' })
    await using calendar = await calendarOf(harness.app)
    await harness.app.db.write((tx) => tx.run('update tenants set timezone = ?', [zone]))
    clock.advance(25 * day)
    await calendar.bill()
    expect(await subscriptionOf(harness, tenantId)).toMatchObject({ start: billed, next })
  })
})
