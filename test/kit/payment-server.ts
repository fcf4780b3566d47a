import { createHmac } from 'node:crypto'
import type { TestApp } from './app.ts'
import { type PaymentCall, type ProviderTrouble, startProviderServer } from './provider-server.ts'

export const webhookSecret = 'whsec_of_the_tests'

/** A subscription as this provider keeps it. */
interface KeptSubscription {
  id: string
  status: string
  plan_id: string
  /** It ends with its cycle. */
  ends?: boolean
  /** A plan that begins with the next cycle. */
  coming?: string
}

const notFound: [number, object] = [400, { error: { code: 'BAD_REQUEST_ERROR' } }]

/** Plays plans and subscriptions of Razorpay; anything else is an error. */
export async function startPaymentServer(state: ProviderTrouble = {}) {
  const plans = new Map<string, object>()
  const subscriptions = new Map<string, KeptSubscription>()
  let made = 0
  const shown = ({ id, status, plan_id, coming }: KeptSubscription) => ({
    entity: 'subscription',
    id,
    status,
    plan_id,
    has_scheduled_changes: coming !== undefined,
  })

  const playOne = ({ method, body }: PaymentCall, found: KeptSubscription, action = ''): [number, object] => {
    if (method === 'GET' && action === 'retrieve_scheduled_changes')
      return [200, { ...shown(found), plan_id: found.coming ?? found.plan_id }]
    if (method === 'GET') return [200, shown(found)]
    if (found.status === 'cancelled') return notFound
    if (action === 'cancel' && body.cancel_at_cycle_end) found.ends = true
    else if (action === 'cancel') found.status = 'cancelled'
    else if (body.schedule_change_at === 'cycle_end') found.coming = body.plan_id
    else found.plan_id = body.plan_id
    return [200, shown(found)]
  }

  const play = (call: PaymentCall): [number, object] => {
    const { method, path, body } = call
    const [, , kind, id = '', action] = path.split('/')
    if (method === 'POST' && id === '') {
      made += 1
      if (kind === 'plans') {
        const plan = { id: `plan_${made}`, entity: 'plan', ...body }
        plans.set(plan.id, plan)
        return [200, plan]
      }
      const opened = { id: `sub_${made}`, status: 'created', plan_id: body.plan_id }
      subscriptions.set(opened.id, opened)
      return [200, shown(opened)]
    }
    const plan = plans.get(id)
    if (plan) return [200, plan]
    const found = subscriptions.get(id)
    return found ? playOne(call, found, action) : notFound
  }

  const server = await startProviderServer(state, (text) => (text === '' ? {} : JSON.parse(text)), play)
  return {
    ...server,
    plans,
    subscriptions,
    /** Settings of an instance that this server takes the payments of. */
    options: {
      allowHosts: [`127.0.0.1:${server.port}`],
      payments: {
        provider: 'hosted_a' as const,
        keyId: 'key_public',
        keySecret: 'key_secret',
        webhookSecrets: [webhookSecret],
        baseUrl: server.url,
      },
    },
  }
}

export const sign = (body: string | Uint8Array, secret = webhookSecret) =>
  createHmac('sha256', secret).update(body).digest('hex')

let callers = 0

/** Calls the webhook from an address of its own. */
export function callWebhook(
  app: Pick<TestApp, 'copydesk'>,
  body: string,
  { path = '/pg/v1/webhook', headers }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  callers += 1
  const request = new Request(`http://copydesk.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-paymentprovider-signature': sign(body), ...headers },
    body,
  })
  return app.copydesk.fetch(request, { ip: `10.9.${Math.floor(callers / 250) % 250}.${callers % 250}` })
}
