import { describe, expect, it } from 'vitest'
import { PaymentEvent } from '../../../packages/core/src/domain/accounts/billing/events/entities.ts'
import { openSubscription } from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { type Bench, bench, choice } from './billing.ts'
import { invoicesOf, subscribed, subscriptionOf } from './billing-rig.ts'

const day = 86_400_000

describe('billing.setPlan', () => {
  it('says beforehand exactly what it does, and changes nothing by that', async () => {
    const clock = createTestClock(Date.parse('2026-04-01T00:00:00Z'))
    await using harness = await bench(clock)
    const { app } = harness
    const tenantId = await subscribed(harness)
    clock.advance(12 * day)
    const { billing } = app.copydesk.asSystem()
    const order = { plan: 'agency', reason: 'asked for by phone' }
    const before = await fingerprint(app.db)
    const expected = await billing.setPlan(tenantId, { ...order, dryRun: true })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    const done = await billing.setPlan(tenantId, order)
    expect(expected).toEqual({ ...done, applied: false, invoice: { ...done.invoice, number: null } })
    expect(done).toMatchObject({
      applied: true,
      before: { priceAmount: 9_900 },
      after: { priceAmount: 29_900 },
      invoice: { number: 'INV-2026-000001', type: 'plan_change', amount: 12_000 },
    })
    const [invoice] = await invoicesOf(harness, tenantId)
    expect(done.invoice?.lines.map(({ amount }) => amount)).toEqual(
      invoice?.lines.map(({ amount }) => amount),
    )
    // Back at the same instant: the credit is worth the charge.
    const back = await billing.setPlan(tenantId, { plan: 'pro', reason: 'a mistake', dryRun: true })
    expect(back.invoice).toMatchObject({ type: 'credit_note', number: null, amount: 12_000 })
    expect((await subscriptionOf(harness, tenantId)).credit).toBe(0)
  })

  it('refuses the plan that the tenant has, one that there is not, and a tenant without a subscription', async () => {
    await using harness = await bench()
    const tenantId = await subscribed(harness)
    const bare = await harness.tenant()
    const before = await fingerprint(harness.app.db)
    const set = (id: string, plan: string, dryRun: boolean) =>
      harness.app.copydesk.asSystem().billing.setPlan(id, { plan, reason: 'r', dryRun })
    for (const dryRun of [true, false]) {
      await expect(set(tenantId, 'nosuch', dryRun)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      await expect(set(bare, 'pro', dryRun)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    }
    expect(changedTables(before, await fingerprint(harness.app.db))).toEqual([])
  })
})

/** Keeps an event as the webhook does. @returns its id */
const keep = ({ act }: Bench, type: string, at: number, providerSubscriptionId: string | null = 'sub_1') =>
  act(async (txn) => {
    const id = txn.newId()
    return txn.em.create(PaymentEvent, {
      id,
      provider: 'acme',
      eventId: id,
      type,
      subscriptionId: null,
      providerSubscriptionId,
      occurredOn: new Date(at),
      status: 'received',
      reason: null,
      payment: null,
      body: '{}',
      receivedOn: txn.clock.date(),
      appliedOn: null,
    }).id
  })

describe('billing.replay', () => {
  it('applies what had waited, and nothing twice or against what is newer', async () => {
    await using harness = await bench()
    const { app, act, tenant } = harness
    const tenantId = await tenant()
    const { billing } = app.copydesk.asSystem()
    const now = Date.now()
    const charged = await keep(harness, 'subscription.charged', now - 2_000)
    const halted = await keep(harness, 'subscription.halted', now - 1_000)
    const strange = await keep(harness, 'dispute.opened', now)
    expect(await billing.replay(charged)).toMatchObject({ status: 'unknown' })
    await act(async (txn) => {
      const provider = { name: 'acme', orderId: 'order_1', subscriptionId: 'sub_1' }
      await openSubscription(txn, { tenantId, choice: await choice(txn, 'pro'), provider })
    })
    const outcomes = []
    for (const id of [charged, halted, charged, charged, halted, strange])
      outcomes.push((await billing.replay(id)).status)
    expect(outcomes).toEqual(['applied', 'applied', 'applied', 'applied', 'applied', 'unknown'])
    expect((await subscriptionOf(harness, tenantId)).status).toBe('past_due')
    expect(await app.db.sql.all('select 1 from subscriptions')).toHaveLength(1)
    await expect(billing.replay(tenantId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const { data } = await billing.events({ tenantId })
    expect(data.map(({ eventType, status }) => [eventType, status])).toEqual([
      ['subscription.halted', 'applied'],
      ['subscription.charged', 'applied'],
    ])
  })
})
