import type { PaymentProvider } from '../payments.ts'
import type { HostedPayments, Machine } from './access.ts'
import { createHostedA } from './hosted-a.ts'
import { createHostedB } from './hosted-b.ts'

/** The provider as an embedding program gives it, the configured one, or none. */
export function toPayments(
  given: PaymentProvider | HostedPayments | undefined,
  machine: Machine,
): PaymentProvider | null {
  if (!given) return null
  if ('openCheckout' in given) return given
  return given.provider === 'hosted_a' ? createHostedA(given, machine) : createHostedB(given, machine)
}
