import { describe, expect, it } from 'vitest'
import { applyPaymentEvent } from '../../../packages/core/src/domain/accounts/billing/events/apply.ts'
import { PaymentEvent } from '../../../packages/core/src/domain/accounts/billing/events/entities.ts'
import type { EventType } from '../../../packages/core/src/domain/accounts/billing/payments.ts'
import { billDuePeriods } from '../../../packages/core/src/domain/accounts/billing/periods/run.ts'
import {
  activateSubscription,
  currentSubscription,
  openSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { createTestClock } from '../../kit/clock.ts'
import { parts } from '../agents.ts'
import { type Bench, bench, choice } from './billing.ts'

const dayMs = 86_400_000

/** A tenant that has paid at a provider; its subscription ends with the period. */
async function ending({ act, app, tenant }: Bench) {
  const tenantId = await tenant('UTC')
  await app.db.write((tx) =>
    tx.run(`update tenants set status = 'active', registered = true where id = ?`, [tenantId]),
  )
  await act(async (txn) => {
    const provider = { name: 'till', orderId: 'order_1', subscriptionId: 'sub_1' }
    await openSubscription(txn, { tenantId, choice: await choice(txn, 'pro'), provider })
    const subscription = await activateSubscription(txn, tenantId)
    subscription.cancelsAtPeriodEnd = true
  })
  return tenantId
}

let events = 0
async function happens({ act }: Bench, type: EventType, occurredOn: Date) {
  const id = await act(async (txn) => {
    const eventId = `evt_${++events}`
    const body = { body: '{}', receivedOn: txn.clock.date(), appliedOn: null, reason: null }
    return txn.em.create(PaymentEvent, {
      id: txn.newId(),
      provider: 'till',
      eventId,
      type,
      subscriptionId: null,
      providerSubscriptionId: 'sub_1',
      occurredOn,
      status: 'received',
      payment: null,
      ...body,
    }).id
  })
  await act((txn) => applyPaymentEvent(txn, { eventId: id }))
}

const standing = async ({ app }: Bench, tenantId: string) => {
  const [row] = await app.db.sql.all<Record<string, unknown>>(
    `select s.status, t.status as tenant, t.awaits_payment from subscriptions s join tenants t on t.id = s.tenant_id
     where t.id = ? order by s.id`,
    [tenantId],
  )
  return { subscription: row?.['status'], tenant: row?.['tenant'], held: Boolean(row?.['awaits_payment']) }
}

describe('a subscription that was cancelled for the end of its period', () => {
  it('lasts until that end, though the provider has ended it earlier', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    const tenantId = await ending(harness)
    await happens(harness, 'subscription.cancelled', clock.date())
    expect(await standing(harness, tenantId)).toEqual({
      subscription: 'active',
      tenant: 'active',
      held: false,
    })
    clock.advance(31 * dayMs)
    await using inside = await parts(harness.app)
    await billDuePeriods(inside.system(), {})
    expect(await standing(harness, tenantId)).toEqual({
      subscription: 'cancelled',
      tenant: 'onboarding',
      held: false,
    })
  })

  it('stays ended whatever the provider tells of it afterwards, and leaves the next one alone', async () => {
    const clock = createTestClock()
    await using harness = await bench(clock)
    const tenantId = await ending(harness)
    const before = clock.date()
    clock.advance(31 * dayMs)
    await using inside = await parts(harness.app)
    await billDuePeriods(inside.system(), {})
    const ended = await standing(harness, tenantId)
    for (const type of ['subscription.charged', 'subscription.cancelled', 'subscription.activated'] as const)
      for (const at of [before, clock.date()]) await happens(harness, type, at)
    expect(await standing(harness, tenantId)).toEqual(ended)
    const { act } = harness
    await act(async (txn) => openSubscription(txn, { tenantId, choice: await choice(txn, 'pro') }))
    await happens(harness, 'subscription.completed', clock.date())
    expect(await act(async (txn) => (await currentSubscription(txn, tenantId))?.status)).toBe('pending')
    expect(await standing(harness, tenantId)).toMatchObject({ held: false })
  })
})
