import { z } from 'zod'
import { check } from '../../../../kernel/check.ts'
import { sha256Hex } from '../../../../platform/crypto/hash.ts'
import type { ProviderCall, ProviderEvent, ProviderEvents } from '../payments.ts'
import { isSigned, parseEventBody } from './signed.ts'

const id = z.string().min(1).max(255)
const amount = z.int().min(0).max(1_000_000_000_000)
const Entity = <T extends z.ZodRawShape>(shape: T) => z.object({ entity: z.object(shape) }).optional()

/** As the provider sends it; what it adds is kept with the body, and passed over here. */
const Body = z.object({
  id: id.optional(),
  event: z.string().min(1).max(100),
  /** Seconds since 1970. The end of the year 9999 is the last instant that every database keeps. */
  created_at: z.int().min(0).max(253_402_300_799),
  payload: z
    .object({
      subscription: Entity({ id }),
      payment: Entity({
        id,
        amount,
        currency: z.string().length(3),
        amount_refunded: amount.nullish(),
        subscription_id: id.nullish(),
      }),
      invoice: Entity({ id, subscription_id: id.nullish(), payment_id: id.nullish() }),
    })
    .default({}),
})

/**
 * The webhook as the contract describes it: the signature is the hex HMAC-SHA256 of the raw body. The headers may have the neutral names or
 * those of Razorpay.
 * @param secrets the one in use, and another one while it is exchanged
 */
export function hostedAEvents(secrets: readonly string[]): ProviderEvents {
  return {
    isGenuine({ body, header }) {
      const given = header('x-paymentprovider-signature') ?? header('x-razorpay-signature')
      return given !== undefined && isSigned(body, { secrets, given: [given] })
    },
    read: (call) => readEvent(call),
  }
}

function readEvent({ body, header }: ProviderCall): ProviderEvent {
  const given = check(Body, parseEventBody(body))
  const { subscription, payment, invoice } = given.payload
  const inHeader = header('x-paymentprovider-event-id') ?? header('x-razorpay-event-id')
  return {
    id: (inHeader ?? given.id ?? sha256Hex(body)).slice(0, 255),
    type: given.event,
    occurredOn: new Date(given.created_at * 1_000),
    subscriptionId:
      subscription?.entity.id ?? invoice?.entity.subscription_id ?? payment?.entity.subscription_id ?? null,
    payment: payment
      ? {
          id: payment.entity.id,
          amount: payment.entity.amount,
          currency: payment.entity.currency.toUpperCase(),
          refunded: payment.entity.amount_refunded ?? 0,
        }
      : null,
  }
}
