import { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { BillingCycle, PlanName } from './plans/entities.ts'
import type { Currency, Region } from './plans/regions.ts'

/** What a payment provider is asked to prepare. */
export interface CheckoutRequest {
  /** ULID of the subscription to be. Asked again with the same one, the provider answers with the same checkout. */
  reference: string
  plan: PlanName
  cycle: BillingCycle
  region: Region
  currency: Currency
  /** What one cycle costs after the discount, in the smallest unit of the currency; never 0. */
  amount: number
  /** Days before the first charge. */
  trialDays: number
  customer: { name: string; email: string; phone: string; country: string; company: string }
  /** Aborted when the answer is not waited for any more. */
  signal: AbortSignal
}

/** What a client opens the provider's checkout with. */
export interface Checkout {
  orderId: string
  /** What is kept of the order where `orderId` lets its holder pay; default: `orderId`. */
  orderRecord?: string | undefined
  subscriptionId: string
  /** Public: it is shown to the client. */
  keyId: string
}

/** What a subscription is to cost from now on. */
export interface ChangeRequest {
  /** What the provider calls the subscription. */
  subscriptionId: string
  /** The same when the same change is asked for again. */
  key: string
  plan: PlanName
  cycle: BillingCycle
  currency: Currency
  /** What one cycle costs after the discount, in the smallest unit of the currency; never 0. */
  amount: number
  /** Whether the rest of the present period is charged at the new price; otherwise that begins with the next one. */
  prorate: boolean
  signal: AbortSignal
}

/** Which subscription is to end, and when. */
export interface CancelRequest {
  /** What the provider calls the subscription. */
  subscriptionId: string
  /** The same when the same cancellation is asked for again. */
  key: string
  at: 'now' | 'period_end'
  signal: AbortSignal
}

/** Takes the payments. Without one, people see to it: a super-admin marks a tenant paid. */
export interface PaymentProvider {
  /** Kept with each subscription, for example `acme-pay`. */
  readonly name: string
  /** Prepares an order for a subscription; no one has paid when it answers. */
  openCheckout(request: CheckoutRequest): Promise<Checkout>
  /**
   * Moves a subscription to another price, and takes back a cancellation at the end of its period. It is asked again until it succeeds, so
   * what is so already stays as it is. An error whose `final` is true is not tried again.
   */
  change(request: ChangeRequest): Promise<void>
  /** Ends a subscription; asked again like `change`. One that has ended already is no error. */
  cancel(request: CancelRequest): Promise<void>
  /** True where a cancellation at the end of a period cannot be taken back. */
  readonly cancelsForGood?: boolean
  /** What it calls our webhook with; a provider without it calls none. */
  readonly events?: ProviderEvents
}

/** A call of the webhook, as it came. */
export interface ProviderCall {
  body: Uint8Array
  /** A request header, by lower-case name. */
  header(name: string): string | undefined
}

/** Reads what a provider tells by its webhook. */
export interface ProviderEvents {
  /** True when the call is signed with a secret that is valid now. Compares in constant time. */
  isGenuine(call: ProviderCall): boolean
  /** @throws DomainError `VALIDATION_ERROR` for a body that is no event */
  read(call: ProviderCall): ProviderEvent
  /**
   * Asks the provider what an event is about that names no subscription; null where it is about none. It may be asked again.
   * @param body of the event, as it came
   */
  locate?(
    body: string,
    signal: AbortSignal,
  ): Promise<Pick<ProviderEvent, 'subscriptionId' | 'payment'> | null>
}

/** An event of a provider in our words. */
export interface ProviderEvent {
  /** The same whenever it is delivered. */
  id: string
  /** Such as `subscription.charged`; the provider's own word for what is none of `eventTypes`. */
  type: string
  /** When it happened there. */
  occurredOn: Date
  /** What the provider calls the subscription; null for events of none. */
  subscriptionId: string | null
  payment: { id: string; amount: number; currency: string; refunded: number } | null
}

/** The events that mean something here. */
export const eventTypes = [
  'subscription.activated',
  'subscription.charged',
  'subscription.pending',
  'subscription.halted',
  'subscription.cancelled',
  'subscription.completed',
  'payment.captured',
  'payment.failed',
  'invoice.paid',
  'refund.processed',
] as const
export type EventType = (typeof eventTypes)[number]

/** How long a provider is waited for. */
export const providerWaitMs = 20_000

const text = z.string().min(1).max(255)
const Answer = z.object({
  orderId: z.string().min(1).max(1_000),
  orderRecord: text.optional(),
  subscriptionId: text,
  keyId: text,
})

/** Asks a provider for something, and waits for it no longer than `providerWaitMs`. */
export async function askProvider<T>(ctx: Ctx, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const stop = ctx.clock.after(providerWaitMs, () => abort.abort(new Error('It did not answer in time')))
  const late = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error))
  })
  try {
    return await Promise.race([ask(abort.signal), late])
  } finally {
    stop()
  }
}

/**
 * Asks a provider for a checkout.
 * @throws DomainError `UNPROCESSABLE` when it fails, answers with something else, or not in time
 */
export async function openCheckout(
  ctx: Ctx,
  provider: PaymentProvider,
  request: Omit<CheckoutRequest, 'signal'>,
): Promise<Checkout> {
  try {
    return Answer.parse(await askProvider(ctx, (signal) => provider.openCheckout({ ...request, signal })))
  } catch (cause) {
    ctx.log.warn('the payment provider could not prepare a checkout', {
      provider: provider.name,
      reference: request.reference,
      error: cause,
    })
    throw new DomainError('UNPROCESSABLE', 'The payment provider does not answer; try again in a moment', {
      cause,
    })
  }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    /** Null where people see to the payments. */
    payments: PaymentProvider | null
  }
}
