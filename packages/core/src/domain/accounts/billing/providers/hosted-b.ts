import { z } from 'zod'
import { sha256Hex } from '../../../../platform/crypto/hash.ts'
import type { CancelRequest, ChangeRequest, CheckoutRequest, PaymentProvider } from '../payments.ts'
import type { BillingCycle } from '../plans/entities.ts'
import type { HostedPayments, Machine } from './access.ts'
import { createProviderCalls, PaymentRefusal } from './calls.ts'
import { type FormFields, formOf } from './form.ts'
import { hostedBEvents } from './hosted-b-events.ts'

const usualBaseUrl = 'https://api.stripe.com'
/** The version of the interface whose words are used here, whatever the account has as its own. */
const version = '2026-10-28.endive'

const cycles: Record<BillingCycle, { interval: string; interval_count: number }> = {
  monthly: { interval: 'month', interval_count: 1 },
  quarterly: { interval: 'month', interval_count: 3 },
  annual: { interval: 'year', interval_count: 1 },
}

const id = z.string().min(1).max(200)
const Created = z.object({ id })
const Secret = z.object({ client_secret: z.string().min(1).max(1_000) })
const Opened = z.object({
  id,
  latest_invoice: z.object({ id, confirmation_secret: Secret.nullish() }).nullish(),
  /** In place of a first payment where a trial begins. */
  pending_setup_intent: Secret.extend({ id }).nullish(),
})
const Subscribed = z.object({
  status: z.string(),
  cancel_at_period_end: z.boolean().default(false),
  items: z.object({
    data: z
      .array(
        z.object({
          id,
          price: z.object({
            unit_amount: z.int().nullable(),
            currency: z.string(),
            recurring: z.object({ interval: z.string(), interval_count: z.int() }).nullish(),
          }),
        }),
      )
      .min(1),
  }),
})

const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/**
 * Speaks the interface of Stripe. Every write has an idempotency key, and what a subscription is like is read before it is changed, for a
 * key is forgotten after a day.
 */
export function createHostedB(
  { keyId, keySecret, webhookSecrets, baseUrl = usualBaseUrl }: HostedPayments,
  { http, clock }: Machine,
): PaymentProvider {
  const headers = { authorization: `Bearer ${keySecret}`, 'stripe-version': version }
  const call = createProviderCalls(http, { baseUrl, headers })
  const post = <S extends z.ZodType>(
    reply: S,
    path: string,
    { fields, key, signal }: { fields: FormFields; key: string; signal: AbortSignal },
  ) => {
    const body = formOf(fields)
    // A key that comes back with another body is refused there.
    const idempotencyKey = `${key}-${sha256Hex(`${path} ${body}`).slice(0, 16)}`
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'idempotency-key': idempotencyKey }
    return call(reply, { method: 'POST', path, headers: form, body, signal })
  }
  const addPrice = (
    request: Pick<CheckoutRequest, 'plan' | 'cycle' | 'amount' | 'currency' | 'signal'>,
    key: string,
  ) => {
    const { plan, cycle, amount, currency, signal } = request
    const fields = {
      currency: currency.toLowerCase(),
      unit_amount: amount,
      recurring: cycles[cycle],
      product_data: { name: `${plan} ${cycle}` },
    }
    return post(Created, '/v1/prices', { fields, key, signal })
  }
  return {
    name: 'hosted_b',
    events: hostedBEvents(webhookSecrets, clock, call),
    async openCheckout(request: CheckoutRequest) {
      const { signal, reference: key, trialDays } = request
      const { name, email, phone, country, company } = request.customer
      const person = { name, email, phone, address: { country }, metadata: { company } }
      const customer = await post(Created, '/v1/customers', { fields: person, key, signal })
      const price = await addPrice(request, key)
      const fields = {
        customer: customer.id,
        items: [{ price: price.id, quantity: 1 }],
        payment_behavior: 'default_incomplete',
        payment_settings: { save_default_payment_method: 'on_subscription' },
        metadata: { reference: key },
        expand: ['latest_invoice.confirmation_secret', 'pending_setup_intent'],
        ...(trialDays > 0 && { trial_period_days: trialDays }),
      }
      const opened = await post(Opened, '/v1/subscriptions', { fields, key, signal })
      const { latest_invoice: invoice, pending_setup_intent: setup } = opened
      const secret = invoice?.confirmation_secret?.client_secret ?? setup?.client_secret
      if (secret === undefined) throw new Error('The payment provider named nothing to pay')
      const orderRecord = invoice?.id ?? setup?.id
      return { orderId: secret, orderRecord, subscriptionId: opened.id, keyId }
    },
    async change(request: ChangeRequest) {
      const { key, signal, prorate } = request
      const path = pathOf(request)
      const found = await call(Subscribed, { method: 'GET', path, signal })
      if (ended.has(found.status))
        throw new PaymentRefusal('The subscription has ended at the payment provider')
      const [item] = found.items.data
      const isSame = item !== undefined && hasPrice(item.price, request)
      if (isSame && !found.cancel_at_period_end) return
      const fields = {
        cancel_at_period_end: false,
        ...(item !== undefined &&
          !isSame && {
            items: [{ id: item.id, price: (await addPrice(request, key)).id, quantity: 1 }],
            proration_behavior: prorate ? 'always_invoice' : 'none',
          }),
      }
      await post(Created, path, { fields, key, signal })
    },
    async cancel(request: CancelRequest) {
      const { at, key, signal } = request
      const path = pathOf(request)
      const found = await call(Subscribed, { method: 'GET', path, signal })
      if (ended.has(found.status)) return
      if (at === 'now') return void (await call(Created, { method: 'DELETE', path, signal }))
      if (found.cancel_at_period_end) return
      await post(Created, path, { fields: { cancel_at_period_end: true }, key, signal })
    },
  }
}

const pathOf = ({ subscriptionId }: { subscriptionId: string }) =>
  `/v1/subscriptions/${encodeURIComponent(subscriptionId)}`

type Price = z.output<typeof Subscribed>['items']['data'][number]['price']

function hasPrice(
  { unit_amount, currency, recurring }: Price,
  wanted: Pick<ChangeRequest, 'amount' | 'currency' | 'cycle'>,
): boolean {
  const { interval, interval_count } = cycles[wanted.cycle]
  return (
    unit_amount === wanted.amount &&
    currency.toUpperCase() === wanted.currency &&
    recurring?.interval === interval &&
    recurring.interval_count === interval_count
  )
}
