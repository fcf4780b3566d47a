import { describe, expect, it } from 'vitest'
import {
  closeInvoices,
  createInvoice,
} from '../../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import { restoreStanding } from '../../../packages/core/src/domain/accounts/billing/standing.ts'
import { currentSubscription } from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { bench } from './billing.ts'
import { calendarOf, subscribed } from './billing-rig.ts'

const dayMs = 86_400_000

describe('remindOfPayments', () => {
  it('reminds on days 1, 3 and 7, once each, then stops the work until it is paid', async () => {
    const clock = createTestClock(Date.parse('2026-03-10T09:00:00Z'))
    await using harness = await bench(clock)
    const { act, app } = harness
    const tenantId = await subscribed(harness, { zone: 'Europe/London' })
    await app.copydesk.asSystem().users.create({
      email: 'ada@hearth.example',
      name: 'Ada',
      password,
      role: 'admin',
      tenantId,
    })
    await act(async (txn) => {
      const subscription = await currentSubscription(txn, tenantId)
      await createInvoice(txn, subscription as NonNullable<typeof subscription>)
    })
    const tenantOf = () =>
      app.db.sql.get('select status, awaits_payment from tenants where id = ?', [tenantId])
    const mails = async () =>
      (
        await app.db.sql.all<{ kind: string; day: number }>(
          `select kind, day from billing_mails where kind <> 'invoice' order by id`,
        )
      ).map(({ kind, day }) => `${kind} ${day}`)
    // It is due seven days after it was issued.
    clock.advance(7 * dayMs)
    const seen: Array<[day: number, mails: string[], held: boolean]> = []
    for (let day = 0; day <= 10; day += 1) {
      await using one = await calendarOf(app)
      await using other = await calendarOf(app)
      await Promise.all([one.remind(), other.remind()])
      await one.remind()
      seen.push([day, await mails(), Boolean((await tenantOf())?.['awaits_payment'])])
      clock.advance(dayMs)
    }
    const all = ['reminder 1', 'reminder 3', 'reminder 7', 'overdue 8']
    expect(seen).toEqual([
      [0, [], false],
      [1, all.slice(0, 1), false],
      [2, all.slice(0, 1), false],
      [3, all.slice(0, 2), false],
      [4, all.slice(0, 2), false],
      [5, all.slice(0, 2), false],
      [6, all.slice(0, 2), false],
      [7, all.slice(0, 3), false],
      [8, all, true],
      [9, all, true],
      [10, all, true],
    ])
    const login = await app
      .clientFor()
      .call('auth', 'POST /login', { body: { email: 'ada@hearth.example', password, app: 'dashboard' } })
    const admin = app.clientFor(login.accessToken)
    expect((await admin.call('tenant', 'GET /billing/invoices')).data).toMatchObject([{ status: 'pending' }])
    await act(async (txn) => {
      const subscription = await currentSubscription(txn, tenantId)
      await closeInvoices(txn, tenantId)
      await restoreStanding(txn, subscription as NonNullable<typeof subscription>)
    })
    expect(Boolean((await tenantOf())?.['awaits_payment'])).toBe(false)
    expect(await app.db.sql.all(`select 1 from job where kind = 'tenant.release'`)).toHaveLength(1)
  })
})
