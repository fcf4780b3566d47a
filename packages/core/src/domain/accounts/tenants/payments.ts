import { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { BillingCycle, PlanName } from './billing-entities.ts'
import type { Currency, Region } from './regions.ts'

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
  subscriptionId: string
  /** Public: it is shown to the client. */
  keyId: string
}

/** Takes the payments. Without one, people see to it: a super-admin marks a tenant paid. */
export interface PaymentProvider {
  /** Kept with each subscription, for example `acme-pay`. */
  readonly name: string
  /** Prepares an order for a subscription; no one has paid when it answers. */
  openCheckout(request: CheckoutRequest): Promise<Checkout>
}

/** How long a provider is waited for. */
export const checkoutWaitMs = 20_000

const text = z.string().min(1).max(255)
const Answer = z.object({ orderId: text, subscriptionId: text, keyId: text })

/**
 * Asks a provider for a checkout.
 * @throws DomainError `UNPROCESSABLE` when it fails, answers with something else, or not in time
 */
export async function openCheckout(
  ctx: Ctx,
  provider: PaymentProvider,
  request: Omit<CheckoutRequest, 'signal'>,
): Promise<Checkout> {
  const abort = new AbortController()
  const stop = ctx.clock.after(checkoutWaitMs, () => abort.abort(new Error('It did not answer in time')))
  const late = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error))
  })
  try {
    const asked = provider.openCheckout({ ...request, signal: abort.signal })
    return Answer.parse(await Promise.race([asked, late]))
  } catch (cause) {
    ctx.log.warn('the payment provider could not prepare a checkout', {
      provider: provider.name,
      reference: request.reference,
      error: cause,
    })
    throw new DomainError('UNPROCESSABLE', 'The payment provider does not answer; try again in a moment', {
      cause,
    })
  } finally {
    stop()
  }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    /** Null where people see to the payments. */
    payments: PaymentProvider | null
  }
}
