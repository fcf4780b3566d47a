import { z } from 'zod'
import type { CancelRequest, ChangeRequest, CheckoutRequest, PaymentProvider } from '../payments.ts'
import type { BillingCycle } from '../plans/entities.ts'
import type { HostedPayments, Machine } from './access.ts'
import { createProviderCalls, PaymentRefusal } from './calls.ts'
import { hostedAEvents } from './hosted-a-events.ts'

const usualBaseUrl = 'https://api.razorpay.com'

/** How often a subscription is charged before the provider ends it by itself: ten years. */
const cycles: Record<BillingCycle, { period: string; interval: number; total_count: number }> = {
  monthly: { period: 'monthly', interval: 1, total_count: 120 },
  quarterly: { period: 'monthly', interval: 3, total_count: 40 },
  annual: { period: 'yearly', interval: 1, total_count: 10 },
}

const id = z.string().min(1).max(200)
const Created = z.object({ id })
const Subscribed = z.object({
  status: z.string(),
  plan_id: id,
  /** A change waits for the end of the cycle. */
  has_scheduled_changes: z.boolean().nullish(),
})
const Planned = z.object({
  period: z.string(),
  interval: z.int(),
  item: z.object({ amount: z.int(), currency: z.string() }),
})

const ended: ReadonlySet<string> = new Set(['cancelled', 'completed', 'expired'])
/** No cycle has begun that a cancellation could wait for. */
const unbegun: ReadonlySet<string> = new Set(['created', 'authenticated'])

/**
 * Speaks the interface of Razorpay. It knows no idempotency keys, so what a subscription is like is read before it is changed.
 */
export function createHostedA(
  { keyId, keySecret, webhookSecrets, baseUrl = usualBaseUrl }: HostedPayments,
  { http, clock }: Machine,
): PaymentProvider {
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
  const call = createProviderCalls(http, { baseUrl, headers: { authorization } })
  const get = <S extends z.ZodType>(reply: S, path: string, signal: AbortSignal) =>
    call(reply, { method: 'GET', path, signal })
  const send = (method: 'POST' | 'PATCH', path: string, body: object, signal: AbortSignal) =>
    call(Created, {
      method,
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  return {
    name: 'hosted_a',
    cancelsForGood: true,
    events: hostedAEvents(webhookSecrets),
    async openCheckout(request: CheckoutRequest) {
      const { signal, reference } = request
      const plan = await send('POST', '/v1/plans', planOf(request), signal)
      const subscription = await send(
        'POST',
        '/v1/subscriptions',
        {
          plan_id: plan.id,
          quantity: 1,
          total_count: cycles[request.cycle].total_count,
          customer_notify: false,
          notes: { reference },
          ...(request.trialDays > 0 && {
            start_at: Math.floor(clock.now() / 1_000) + request.trialDays * 86_400,
          }),
        },
        signal,
      )
      return { orderId: reference, subscriptionId: subscription.id, keyId }
    },
    async change(request: ChangeRequest) {
      const { signal, prorate } = request
      const path = pathOf(request)
      const found = await get(Subscribed, path, signal)
      if (ended.has(found.status))
        throw new PaymentRefusal('The subscription has ended at the payment provider')
      const coming = found.has_scheduled_changes
        ? await get(Subscribed, `${path}/retrieve_scheduled_changes`, signal)
        : found
      const present = await get(Planned, `/v1/plans/${encodeURIComponent(coming.plan_id)}`, signal)
      const wanted = planOf(request)
      const isSameCycle = present.period === wanted.period && present.interval === wanted.interval
      const { amount, currency } = present.item
      if (isSameCycle && amount === wanted.item.amount && currency === wanted.item.currency) return
      const plan = await send('POST', '/v1/plans', wanted, signal)
      const change = {
        plan_id: plan.id,
        quantity: 1,
        schedule_change_at: prorate ? 'now' : 'cycle_end',
        customer_notify: false,
        ...(!isSameCycle && { remaining_count: cycles[request.cycle].total_count }),
      }
      await send('PATCH', path, change, signal)
    },
    async cancel(request: CancelRequest) {
      const { at, signal } = request
      const path = pathOf(request)
      const { status } = await get(Subscribed, path, signal)
      if (ended.has(status)) return
      const waits = at === 'period_end' && !unbegun.has(status)
      await send('POST', `${path}/cancel`, { cancel_at_cycle_end: waits }, signal)
    },
  }
}

const pathOf = ({ subscriptionId }: { subscriptionId: string }) =>
  `/v1/subscriptions/${encodeURIComponent(subscriptionId)}`

function planOf({
  plan,
  cycle,
  amount,
  currency,
}: Pick<CheckoutRequest, 'plan' | 'cycle' | 'amount' | 'currency'>) {
  const { period, interval } = cycles[cycle]
  return { period, interval, item: { name: `${plan} ${cycle}`, amount, currency } }
}
