import type { Clock } from '../../../../platform/clock.ts'
import type { HttpClient } from '../../../../platform/http/client.ts'

/** The hosted payment providers: `hosted_a` speaks the interface of Razorpay, `hosted_b` that of Stripe. */
export const hostedPaymentProviders = ['hosted_a', 'hosted_b'] as const

/** Access to a hosted payment provider. */
export interface HostedPayments {
  provider: (typeof hostedPaymentProviders)[number]
  /** Public: clients open the checkout with it. */
  keyId: string
  keySecret: string
  /** What events are signed with; two while one is exchanged for the other. */
  webhookSecrets: string[]
  /** Default: the provider's own. */
  baseUrl?: string
}

/** What a hosted provider is reached with. */
export interface Machine {
  http: HttpClient
  clock: Clock
}
