import { type PaymentCall, type ProviderTrouble, startProviderServer } from './provider-server.ts'

export const formSecret = 'whsec_of_the_form_provider'

/** Reads `items[0][price]=p` back into nested objects; lists become objects with the keys `0`, `1` and so on. */
function readForm(text: string): Record<string, unknown> {
  const form: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\]?\[|\]/).filter((part) => part !== '')
    let at: Record<string, unknown> = form
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>
    at[path.at(-1) as string] = value
  }
  return form
}

interface KeptPrice {
  id: string
  unit_amount: number
  currency: string
  recurring: { interval: string; interval_count: number }
}

interface KeptSubscription {
  id: string
  object: 'subscription'
  status: string
  cancel_at_period_end: boolean
  items: { object: 'list'; data: Array<{ id: string; price: KeptPrice | undefined; quantity: number }> }
}

const fault = (status: number, code: string): [number, object] => [
  status,
  { error: { type: 'invalid_request_error', code, message: code } },
]

/**
 * Plays customers, prices, subscriptions and payments of invoices of Stripe, with forms, Bearer keys and idempotency keys: a key that comes back
 * gets the first answer again, and an error with another body.
 */
export async function startFormProvider(state: ProviderTrouble = {}) {
  const prices = new Map<string, KeptPrice>()
  const subscriptions = new Map<string, KeptSubscription>()
  /** The invoice, and its subscription, that a payment was for. */
  const paid = new Map<string, { invoice: string; subscription: string }>()
  const answered = new Map<string, { request: string; answer: [number, object] }>()
  let made = 0
  const newId = (prefix: string) => {
    made += 1
    return `${prefix}_${made}`
  }

  const openSubscription = ({ body }: PaymentCall): [number, object] => {
    const price = prices.get(body.items[0].price)
    if (!price) return fault(400, 'resource_missing')
    const isTrial = body.trial_period_days !== undefined
    const opened: KeptSubscription = {
      id: newId('sub'),
      object: 'subscription',
      status: isTrial ? 'trialing' : 'incomplete',
      cancel_at_period_end: false,
      items: { object: 'list', data: [{ id: newId('si'), price, quantity: 1 }] },
    }
    subscriptions.set(opened.id, opened)
    const invoice = newId('in')
    const setup = newId('seti')
    return [
      200,
      {
        ...opened,
        latest_invoice: {
          id: invoice,
          object: 'invoice',
          confirmation_secret: isTrial
            ? null
            : { type: 'payment_intent', client_secret: `pi_${invoice}_secret` },
        },
        pending_setup_intent: isTrial ? { id: setup, client_secret: `${setup}_secret` } : null,
      },
    ]
  }

  const changeSubscription = (found: KeptSubscription, { body }: PaymentCall): [number, object] => {
    if (found.status === 'canceled') return fault(400, 'resource_missing')
    if (body.cancel_at_period_end !== undefined)
      found.cancel_at_period_end = body.cancel_at_period_end === 'true'
    const [item] = found.items.data
    if (item && body.items) item.price = prices.get(body.items[0].price)
    return [200, found]
  }

  const perform = (call: PaymentCall): [number, object] => {
    const { method, path, body } = call
    const [, , kind = '', rest = ''] = path.split(/[/?]/)
    const found = subscriptions.get(rest)
    if (kind === 'invoice_payments') {
      const asked = new URL(path, 'http://any').searchParams.get('payment[payment_intent]') ?? ''
      const known = paid.get(asked)
      const invoice = known && {
        id: known.invoice,
        amount_paid: 100,
        currency: 'usd',
        parent: { type: 'subscription_details', subscription_details: { subscription: known.subscription } },
      }
      return [200, { object: 'list', data: invoice ? [{ id: 'inpay_1', invoice }] : [] }]
    }
    if (method === 'POST' && kind === 'customers')
      return [200, { id: newId('cus'), object: 'customer', ...body }]
    if (method === 'POST' && kind === 'prices') {
      const { interval, interval_count = '1' } = body.recurring
      const recurring = { interval, interval_count: Number(interval_count) }
      const price = { ...body, id: newId('price'), unit_amount: Number(body.unit_amount), recurring }
      prices.set(price.id, price)
      return [200, { object: 'price', ...price }]
    }
    if (method === 'POST' && kind === 'subscriptions' && rest === '') return openSubscription(call)
    if (!found) return fault(404, 'resource_missing')
    if (method === 'GET') return [200, found]
    if (method === 'POST') return changeSubscription(found, call)
    found.status = 'canceled'
    return [200, found]
  }

  const play = (call: PaymentCall): [number, object] => {
    if (call.authorization !== 'Bearer sk_test_secret') return fault(401, 'api_key_invalid')
    const key = call.headers['idempotency-key'] as string | undefined
    if (call.method !== 'POST' || key === undefined) return perform(call)
    const request = `${call.path} ${JSON.stringify(call.body)}`
    const known = answered.get(key)
    if (known) return known.request === request ? known.answer : fault(400, 'idempotency_error')
    const answer = perform(call)
    answered.set(key, { request, answer: structuredClone(answer) })
    return answer
  }

  const server = await startProviderServer(state, readForm, play)
  return {
    ...server,
    prices,
    subscriptions,
    paid,
    options: {
      allowHosts: [`127.0.0.1:${server.port}`],
      payments: {
        provider: 'hosted_b' as const,
        keyId: 'pk_test_public',
        keySecret: 'sk_test_secret',
        webhookSecrets: [formSecret],
        baseUrl: server.url,
      },
    },
  }
}
