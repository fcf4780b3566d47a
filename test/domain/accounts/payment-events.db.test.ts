import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { applyPaymentEvent } from '../../../packages/core/src/domain/accounts/billing/events/apply.ts'
import { PaymentEvent } from '../../../packages/core/src/domain/accounts/billing/events/entities.ts'
import type { Transaction } from '../../../packages/core/src/kernel/context.ts'
import { type Bench, bench } from './billing.ts'
import { outcomeOf, paymentStory, shuffled, subscribeTenants, type Told } from './payment-story.ts'

const seed = Number(process.env['COPYDESK_SEED'] ?? randomInt(1_000_000))
/** Seconds since 1970. */
const beginning = 1_790_000_000

/** Numbers that follow from the seed, so that a failure can be repeated. */
function numbersFrom(start: number) {
  let state = start >>> 0
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Delivers events to tenants of its own, one after the other. @returns what can be seen of them afterwards */
async function deliver(
  harness: Bench,
  round: string,
  told: readonly Told[],
  dies: () => boolean = () => false,
) {
  const { act, app } = harness
  await subscribeTenants(harness, round, round)
  for (const event of told) {
    const id = await act(async (txn) => {
      const once = { provider: round, eventId: event.eventId }
      const known = await txn.em.findOne(PaymentEvent, once)
      if (known) return known.id
      const { payment, type, at } = event
      return txn.em.create(PaymentEvent, {
        id: txn.newId(),
        ...once,
        type,
        subscriptionId: null,
        providerSubscriptionId: `${round}_${event.tenant}`,
        occurredOn: new Date(at * 1_000),
        status: 'received',
        reason: null,
        payment: payment && { ...payment, id: `${round}_${payment.id}` },
        body: '{}',
        receivedOn: txn.clock.date(),
        appliedOn: null,
      }).id
    })
    if (dies()) await act((txn) => applyAndDie(txn, id)).catch(passDeath)
    await act((txn) => applyPaymentEvent(txn, { eventId: id }))
  }
  return outcomeOf(app.db, round)
}

/** Applies an event and is killed before the commit. */
async function applyAndDie(txn: Transaction, eventId: string): Promise<never> {
  await applyPaymentEvent(txn, { eventId })
  await txn.em.flush()
  throw new Error('the process dies')
}

/** Any other error is one. */
function passDeath(error: Error): void {
  if (error.message !== 'the process dies') throw error
}

describe('applyPaymentEvent', () => {
  it(`ends alike whatever the order of events, late or doubled, and whatever dies meanwhile (seed ${seed})`, async () => {
    await using harness = await bench()
    const next = numbersFrom(seed)
    const told = paymentStory(next, beginning)
    const ordered = await deliver(harness, 'ordered', told)
    const mixed = await deliver(harness, 'mixed', shuffled(told, next), () => next(20) === 0)
    expect(mixed).toEqual(ordered)
    expect(new Set(ordered.subscriptions.map(({ status }) => status)).size).toBeGreaterThan(1)
  })

  it('leaves nothing of an event behind whose job dies, and applies it when it is asked again', async () => {
    await using harness = await bench()
    const { act, app } = harness
    const event: Told = {
      tenant: 0,
      eventId: 'evt_1',
      type: 'subscription.charged',
      at: beginning,
      payment: { id: 'pay_1', amount: 9_900, currency: 'USD', refunded: 0 },
    }
    await deliver(harness, 'dying', [])
    const id = await act(
      async (txn) =>
        txn.em.create(PaymentEvent, {
          id: txn.newId(),
          provider: 'dying',
          eventId: event.eventId,
          type: event.type,
          subscriptionId: null,
          providerSubscriptionId: 'dying_0',
          occurredOn: new Date(event.at * 1_000),
          status: 'received',
          reason: null,
          payment: event.payment,
          body: '{}',
          receivedOn: txn.clock.date(),
          appliedOn: null,
        }).id,
    )
    await expect(act((txn) => applyAndDie(txn, id))).rejects.toThrow('the process dies')
    expect(await app.db.sql.all('select 1 from payments')).toEqual([])
    await act((txn) => applyPaymentEvent(txn, { eventId: id }))
    await act((txn) => applyPaymentEvent(txn, { eventId: id }))
    expect(await app.db.sql.all('select 1 from payments')).toHaveLength(1)
    expect(await app.db.sql.all(`select 1 from invoices where status = 'paid'`)).toHaveLength(1)
  })
})
