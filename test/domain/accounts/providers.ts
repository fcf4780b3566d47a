import type {
  CheckoutRequest,
  PaymentProvider,
} from '../../../packages/core/src/domain/accounts/billing/payments.ts'
import type { HostedPayments } from '../../../packages/core/src/domain/accounts/billing/providers/access.ts'
import { toPayments } from '../../../packages/core/src/domain/accounts/billing/providers/hosted.ts'
import { createHttpClient } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createTestClock } from '../../kit/clock.ts'

/** The adapter of a hosted provider by itself. */
export function providerOf(
  { allowHosts, payments }: { allowHosts: string[]; payments: HostedPayments },
  now?: number,
): PaymentProvider {
  const clock = createTestClock(now)
  return toPayments(payments, {
    http: createHttpClient({ allowHosts, log: silentLogger }),
    clock,
  }) as PaymentProvider
}

export const checkoutOf = (changes: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  reference: 'ref_1',
  plan: 'pro',
  cycle: 'monthly',
  region: 'GB',
  currency: 'GBP',
  amount: 7_900,
  trialDays: 0,
  customer: {
    name: 'Ines',
    email: 'ines@hearth.example',
    phone: '+44 20 7946 0000',
    country: 'GB',
    company: 'Hearth & Oat',
  },
  signal: new AbortController().signal,
  ...changes,
})
