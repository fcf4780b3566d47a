import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { finalStates, Subscription, type SubscriptionRow } from './entities.ts'
import { informProviderJob } from './jobs.ts'
import { askProvider, type PaymentProvider } from './payments.ts'
import { discountOf } from './plans/coupons.ts'

interface Change {
  /** The price; or whether, and when, it ends. */
  what: 'price' | 'end'
  /** Of a price: whether it holds for the rest of the present period too. */
  prorate?: boolean
}

/**
 * Asks for a change of a subscription to be brought to its provider, once it has committed; where people see to the payments nothing is to be
 * done. What costs nothing any more ends there, and people see to its payments from then on. The subscription is locked.
 */
export function informProvider(
  txn: Transaction,
  subscription: SubscriptionRow,
  { what, prorate = false }: Change,
): void {
  const { tenantId, provider, providerSubscriptionId, providerState } = subscription
  if (provider === null || providerSubscriptionId === null) return
  const hasEndedThere = providerState !== null && finalStates.has(providerState)
  // It has ended by itself: from now on it does not matter what the provider tells.
  if (subscription.status === 'cancelled')
    Object.assign(subscription, { providerState: null, providerStateOn: null })
  if (what === 'end' && hasEndedThere) return
  const isFree = what === 'price' && amountOf(subscription) === 0
  if (isFree) Object.assign(subscription, withoutProvider)
  const about = { provider, providerSubscriptionId, key: txn.newId(), prorate }
  txn.enqueue(informProviderJob, { tenantId, payload: { what: isFree ? 'end' : what, ...about } })
}

const withoutProvider = {
  provider: null,
  providerOrderId: null,
  providerSubscriptionId: null,
  providerState: null,
  providerStateOn: null,
}

const amountOf = (subscription: SubscriptionRow) => subscription.priceAmount - discountOf(subscription)

/**
 * Handles `payment.inform` jobs. The provider is brought to what holds now, not to what held when the job was asked for.
 * @throws Unretryable when the provider refuses for good, or is not configured any more
 */
export async function bringToProvider(
  ctx: Ctx,
  order: {
    what: 'price' | 'end'
    provider: string
    providerSubscriptionId: string
    key: string
    prorate: boolean
  },
): Promise<void> {
  const { provider: name, providerSubscriptionId, key } = order
  const provider = ctx.services.payments
  if (provider?.name !== name)
    throw new Unretryable(`The payment provider ${name} is not configured any more`)
  const where = { provider: name, providerSubscriptionId }
  const subscription = await transact(ctx, (txn) => txn.em.findOne(Subscription, where))
  try {
    await askProvider(ctx, (signal) => bring(provider, subscription, { ...order, key, signal }))
  } catch (error) {
    const { final, message } = error as { final?: boolean; message: string }
    if (final === true) throw new Unretryable(message, { cause: error })
    throw error
  }
}

async function bring(
  provider: PaymentProvider,
  subscription: SubscriptionRow | null,
  order: {
    what: 'price' | 'end'
    providerSubscriptionId: string
    key: string
    prorate: boolean
    signal: AbortSignal
  },
): Promise<void> {
  const { what, providerSubscriptionId: subscriptionId, key, prorate, signal } = order
  const hasEnded = !subscription || subscription.status === 'cancelled'
  if (what === 'price' && subscription && !hasEnded) {
    const { plan, cycle, currency } = subscription
    const terms = { plan, cycle, currency, amount: amountOf(subscription) }
    await provider.change({ subscriptionId, key, ...terms, prorate, signal })
  }
  // A change takes back a cancellation that has been asked for since.
  if (hasEnded || subscription.cancelsAtPeriodEnd)
    await provider.cancel({ subscriptionId, key, at: hasEnded ? 'now' : 'period_end', signal })
}
