import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Subscription, type SubscriptionRow } from '../entities.ts'
import { locateEventJob } from '../jobs.ts'
import { askProvider, type EventType, eventTypes } from '../payments.ts'
import { PaymentEvent, type PaymentEventRow, type PaymentEventStatus } from './entities.ts'
import { recordPayment, settleInvoices } from './settle.ts'
import { noteActivation, noteProviderState } from './state.ts'

const lockMode = LockMode.PESSIMISTIC_WRITE

/** Handles `payment.event` jobs: applies one event, once. Whatever the order in which events come, the end is the same. */
export async function applyPaymentEvent(txn: Transaction, { eventId }: { eventId: string }): Promise<void> {
  const event = await txn.em.findOne(PaymentEvent, { id: eventId }, { lockMode })
  if (!event || isDone(event)) return
  if (!needsLocating(txn, event)) return applyEvent(txn, event)
  txn.enqueue(locateEventJob, { tenantId: null, payload: { eventId } })
}

/** True for an event that names no subscription, where its provider can be asked for it. */
export function needsLocating({ services }: Transaction, event: PaymentEventRow): boolean {
  const { events, name } = services.payments ?? {}
  const isUnclear = event.providerSubscriptionId === null && isKnown(event.type)
  return isUnclear && events?.locate !== undefined && name === event.provider
}

/** Handles `payment.locate` jobs: asks the provider which subscription an event is about, then applies it. */
export async function locatePaymentEvent(ctx: Ctx, { eventId }: { eventId: string }): Promise<void> {
  const asked = await transact(ctx, (txn) => txn.em.findOne(PaymentEvent, { id: eventId }))
  if (!asked || isDone(asked)) return
  const { events } = ctx.services.payments ?? {}
  const found = await askProvider(ctx, async (signal) => (await events?.locate?.(asked.body, signal)) ?? null)
  await transact(ctx, async (txn) => {
    const event = await txn.em.findOne(PaymentEvent, { id: eventId }, { lockMode })
    if (!event || isDone(event)) return
    if (found) Object.assign(event, { providerSubscriptionId: found.subscriptionId, payment: found.payment })
    await applyEvent(txn, event)
  })
}

/**
 * Handles `payment.waiting` jobs: applies what a provider told of a subscription before it was known here, for its checkout can be paid
 * before the registration has committed.
 */
export async function applyWaitingEvents(
  txn: Transaction,
  { provider, providerSubscriptionId }: { provider: string; providerSubscriptionId: string },
): Promise<void> {
  const waiting = {
    provider,
    providerSubscriptionId,
    status: { $in: ['received' as const, 'unknown' as const] },
  }
  const events = await txn.em.find(PaymentEvent, waiting, { lockMode, orderBy: { id: 'asc' }, limit: 1_000 })
  for (const event of events) await applyEvent(txn, event)
}

const isDone = ({ status }: PaymentEventRow) => status === 'applied' || status === 'ignored'

const isKnown = (type: string): type is EventType => (eventTypes as readonly string[]).includes(type)

/** Applies an event, whatever was applied before. Its row is locked. */
export async function applyEvent(txn: Transaction, event: PaymentEventRow): Promise<void> {
  const { type, provider, providerSubscriptionId } = event
  const finish = (status: PaymentEventStatus, reason: string | null = null) =>
    Object.assign(event, { status, reason, appliedOn: status === 'unknown' ? null : txn.clock.date() })
  if (!isKnown(type))
    return void finish('unknown', `Copydesk does not know events of the type ${type.slice(0, 100)}`)
  if (providerSubscriptionId === null) return void finish('ignored', 'It belongs to no subscription')
  const subscription = await txn.em.findOne(Subscription, { provider, providerSubscriptionId }, { lockMode })
  if (!subscription) return void finish('unknown', 'There is no such subscription here yet')
  event.subscriptionId = subscription.id
  finish('applied')
  await applyTo(txn, subscription, event, type)
}

async function applyTo(
  txn: Transaction,
  subscription: SubscriptionRow,
  event: PaymentEventRow,
  type: EventType,
): Promise<void> {
  if (event.payment && type !== 'payment.failed') await recordPayment(txn, subscription, event)
  if (type === 'subscription.activated' || type === 'subscription.charged')
    await noteActivation(txn, subscription, event.occurredOn)
  const state = stateOf(type)
  if (state && !(await noteProviderState(txn, subscription, state, event.occurredOn))) {
    event.status = 'ignored'
    event.reason =
      'It has ended here, or a newer event had been applied before; what it says of payments was taken over'
  }
  await settleInvoices(txn, subscription)
}

function stateOf(type: EventType) {
  switch (type) {
    case 'subscription.activated':
      return 'activated'
    case 'subscription.charged':
      return 'charged'
    case 'subscription.pending':
      return 'pending'
    case 'subscription.halted':
      return 'halted'
    case 'subscription.cancelled':
      return 'cancelled'
    case 'subscription.completed':
      return 'completed'
    default:
      return undefined
  }
}
