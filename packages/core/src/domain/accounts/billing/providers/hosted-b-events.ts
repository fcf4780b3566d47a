import { z } from 'zod'
import { check } from '../../../../kernel/check.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { EventType, ProviderCall, ProviderEvent, ProviderEvents } from '../payments.ts'
import type { ProviderCalls } from './calls.ts'
import { formOf } from './form.ts'
import { isSigned, parseEventBody } from './signed.ts'

/** How old a signature may be, and how far in the future. */
const toleranceMs = 5 * 60_000

const id = z.string().min(1).max(255)
const amount = z.int().min(0).max(1_000_000_000_000)
const currency = z.string().length(3)
/** A reference, or in its place the thing itself. */
const reference = z.union([id, z.object({ id }).transform((thing) => thing.id)])

/** As the provider sends it; what it adds is kept with the body, and passed over here. */
const Body = z.object({
  id,
  type: z.string().min(1).max(100),
  /** Seconds since 1970. The end of the year 9999 is the last instant that every database keeps. */
  created: z.int().min(0).max(253_402_300_799),
  data: z.object({
    object: z.looseObject({ id: id.optional() }),
    previous_attributes: z.looseObject({ status: z.string().optional() }).nullish(),
  }),
})
type Body = z.output<typeof Body>

const Invoice = z.object({
  id,
  amount_paid: amount,
  currency,
  /** Where it stood before the version of March 2025. */
  subscription: reference.nullish(),
  parent: z
    .object({ subscription_details: z.object({ subscription: reference.nullish() }).nullish() })
    .nullish(),
})
const Subscribed = z.object({ id, status: z.string() })
const Charge = z.object({
  amount,
  amount_refunded: amount,
  currency,
  payment_intent: reference.nullish(),
})

/** What a subscription has become, in our words; a trial has begun nothing, and is none of them. */
const states: Readonly<Record<string, EventType>> = {
  active: 'subscription.activated',
  past_due: 'subscription.pending',
  unpaid: 'subscription.halted',
  paused: 'subscription.halted',
  canceled: 'subscription.cancelled',
  incomplete_expired: 'subscription.cancelled',
}

const Paid = z.object({ data: z.array(z.object({ invoice: Invoice })) })

const subscriptionOf = ({ parent, subscription }: z.output<typeof Invoice>) =>
  parent?.subscription_details?.subscription ?? subscription ?? null

type Meaning = Pick<ProviderEvent, 'type' | 'subscriptionId' | 'payment'>

/**
 * The webhook of Stripe. Its header is `t=<seconds>,v1=<signature>`, which may come more than once; signed is `<seconds>.<body>`.
 * A refund names a payment alone, so the provider is asked which subscription that was for.
 * @param secrets the one in use, and another one while it is exchanged
 */
export function hostedBEvents(secrets: readonly string[], clock: Clock, call: ProviderCalls): ProviderEvents {
  return {
    async locate(body, signal) {
      const { type, data } = Body.parse(JSON.parse(body))
      const charge = type === 'charge.refunded' ? Charge.parse(data.object) : undefined
      if (!charge?.payment_intent) return null
      const query = formOf({
        payment: { type: 'payment_intent', payment_intent: charge.payment_intent },
        expand: ['data.invoice'],
      })
      const found = await call(Paid, { method: 'GET', path: `/v1/invoice_payments?${query}`, signal })
      const invoice = found.data[0]?.invoice
      const subscriptionId = invoice ? subscriptionOf(invoice) : null
      if (!invoice || subscriptionId === null) return null
      const { amount: paid, amount_refunded: refunded, currency: code } = charge
      return {
        subscriptionId,
        payment: { id: invoice.id, amount: paid, currency: code.toUpperCase(), refunded },
      }
    },
    isGenuine({ body, header }) {
      const given = header('stripe-signature') ?? header('x-paymentprovider-signature')
      const { seconds, signatures } = partsOf(given ?? '')
      if (!/^\d{1,12}$/.test(seconds)) return false
      const isGenuine = isSigned(Buffer.concat([Buffer.from(`${seconds}.`), body]), {
        secrets,
        given: signatures,
      })
      return isGenuine && Math.abs(clock.now() - Number(seconds) * 1_000) <= toleranceMs
    },
    read: (call) => readEvent(call),
  }
}

/** More signatures than any exchange of secrets needs are not looked at. */
const mostSignatures = 8

function partsOf(header: string): { seconds: string; signatures: string[] } {
  const parts = header.split(',').map((part) => part.trim().split('=') as [string, string?])
  const valuesOf = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []))
  return { seconds: valuesOf('t')[0] ?? '', signatures: valuesOf('v1').slice(0, mostSignatures) }
}

function readEvent({ body }: ProviderCall): ProviderEvent {
  const event = check(Body, parseEventBody(body))
  return { id: event.id, occurredOn: new Date(event.created * 1_000), ...meaningOf(event) }
}

function meaningOf(event: Body): Meaning {
  const { type, data } = event
  const unnamed: Meaning = { type, subscriptionId: null, payment: null }
  if (type.startsWith('customer.subscription.')) {
    const { id: subscriptionId, status } = check(Subscribed, data.object)
    return { ...unnamed, subscriptionId, type: stateOf(event, status) ?? type }
  }
  if (type === 'invoice.paid' || type === 'invoice.payment_failed') {
    const invoice = check(Invoice, data.object)
    const subscriptionId = subscriptionOf(invoice)
    if (type === 'invoice.payment_failed') return { ...unnamed, subscriptionId, type: 'payment.failed' }
    // The invoice at the beginning of a trial is over nothing.
    if (invoice.amount_paid === 0) return { ...unnamed, subscriptionId }
    const paid = { amount: invoice.amount_paid, currency: invoice.currency.toUpperCase(), refunded: 0 }
    return { type: 'subscription.charged', subscriptionId, payment: { id: invoice.id, ...paid } }
  }
  return type === 'charge.refunded' ? { ...unnamed, type: 'refund.processed' } : unnamed
}

/** Of a change only one of the state means something: any other repeats a state that is known, or was never true here. */
function stateOf({ type, data }: Body, status: string): EventType | undefined {
  if (type === 'customer.subscription.deleted') return 'subscription.cancelled'
  const isNew =
    type === 'customer.subscription.updated'
      ? data.previous_attributes?.status !== undefined
      : /\.(created|paused|resumed)$/.test(type)
  return isNew ? states[status] : undefined
}
