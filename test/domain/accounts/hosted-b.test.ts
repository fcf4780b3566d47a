import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import type { CheckoutRequest } from '../../../packages/core/src/domain/accounts/billing/payments.ts'
import { formOf } from '../../../packages/core/src/domain/accounts/billing/providers/form.ts'
import { formSecret, startFormProvider } from '../../kit/form-provider-server.ts'
import { checkoutOf, providerOf } from './providers.ts'

type Server = Awaited<ReturnType<typeof startFormProvider>>

/** The provider's own client, which talks to the server that plays it. */
const clientOf = ({ port }: Server) =>
  new Stripe('sk_test_secret', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })

const keysOf = (server: Server) => server.calls.map(({ headers }) => headers['idempotency-key'])

describe('the server that plays the provider', () => {
  it('understands the provider’s own client', async () => {
    await using server = await startFormProvider()
    const stripe = clientOf(server)
    const customer = await stripe.customers.create({ email: 'ines@hearth.example' })
    const price = await stripe.prices.create({
      currency: 'usd',
      unit_amount: 9_900,
      recurring: { interval: 'month' },
      product_data: { name: 'pro' },
    })
    const opened = await stripe.subscriptions.create(
      {
        customer: customer.id,
        items: [{ price: price.id }],
        payment_behavior: 'default_incomplete',
        expand: ['latest_invoice.confirmation_secret'],
      },
      { idempotencyKey: 'once' },
    )
    expect(opened.status).toBe('incomplete')
    const ends = await stripe.subscriptions.update(opened.id, { cancel_at_period_end: true })
    expect(ends.cancel_at_period_end).toBe(true)
    expect((await stripe.subscriptions.retrieve(opened.id)).items.data[0]?.price.unit_amount).toBe(9_900)
    expect((await stripe.subscriptions.cancel(opened.id)).status).toBe('canceled')
    await expect(stripe.subscriptions.retrieve('sub_of_no_one')).rejects.toThrow('resource_missing')
  })
})

describe('openCheckout of hosted_b', () => {
  it('opens a subscription that waits for its first payment, by forms and under keys', async () => {
    await using server = await startFormProvider()
    const provider = providerOf(server.options)
    const checkout = await provider.openCheckout(checkoutOf())
    expect(checkout).toEqual({
      orderId: expect.stringMatching(/^pi_.+_secret$/),
      orderRecord: expect.stringMatching(/^in_/),
      subscriptionId: expect.stringMatching(/^sub_/),
      keyId: 'pk_test_public',
    })
    expect(server.calls.map(({ path }) => path)).toEqual(['/v1/customers', '/v1/prices', '/v1/subscriptions'])
    expect(server.calls.map(({ body }) => body)).toMatchObject([
      { email: 'ines@hearth.example', name: 'Ines', address: { country: 'GB' } },
      { currency: 'gbp', unit_amount: '7900', recurring: { interval: 'month', interval_count: '1' } },
      { payment_behavior: 'default_incomplete', metadata: { reference: 'ref_1' } },
    ])
    for (const { headers } of server.calls) {
      expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
      expect(headers['stripe-version']).toMatch(/^\d{4}-\d\d-\d\d\./)
      expect(headers['idempotency-key']).toMatch(/^ref_1-/)
    }
  })

  it('answers with the same checkout when it is asked again, also after a lost answer', async () => {
    await using server = await startFormProvider({ lose: 1 })
    const provider = providerOf(server.options)
    await expect(provider.openCheckout(checkoutOf())).rejects.toThrow(/127\.0\.0\.1|closed|hang up|reset/)
    const first = await provider.openCheckout(checkoutOf())
    expect(await provider.openCheckout(checkoutOf())).toEqual(first)
    expect(server.subscriptions.size).toBe(1)
    expect(new Set(keysOf(server)).size).toBe(3)
    await provider.openCheckout(checkoutOf({ amount: 5_000 }))
    expect(server.subscriptions.size).toBe(2)
  })

  it('opens a trial with what the card is kept by', async () => {
    await using server = await startFormProvider()
    const checkout = await providerOf(server.options).openCheckout(checkoutOf({ trialDays: 14 }))
    expect(checkout.orderId).toMatch(/^seti_/)
    expect(server.calls.at(-1)?.body).toMatchObject({ trial_period_days: '14' })
  })

  it.each([
    ['JPY', 9_900],
    ['KWD', 9_990],
  ])('asks for %s in its smallest unit', async (currency, amount) => {
    await using server = await startFormProvider()
    const money = { currency: currency as CheckoutRequest['currency'], amount }
    await providerOf(server.options).openCheckout(checkoutOf(money))
    expect([...server.prices.values()]).toMatchObject([
      { currency: currency.toLowerCase(), unit_amount: amount },
    ])
  })

  it('says only the status of what the provider refuses', async () => {
    await using server = await startFormProvider()
    const payments = { ...server.options.payments, keySecret: 'sk_wrong' }
    const refused = providerOf({ ...server.options, payments }).openCheckout(checkoutOf())
    await expect(refused).rejects.toMatchObject({
      final: true,
      message: 'The payment provider answered 401 to POST /v1/customers',
    })
  })
})

describe('formOf', () => {
  it('names nested fields as the provider’s own client does', async () => {
    const fields = { items: [{ price: 'p & q', quantity: 1 }], metadata: { a: 'ü' }, expand: ['x.y'] }
    expect(Object.fromEntries(new URLSearchParams(formOf(fields)))).toEqual({
      'items[0][price]': 'p & q',
      'items[0][quantity]': '1',
      'metadata[a]': 'ü',
      'expand[0]': 'x.y',
    })
  })
})

describe('hosted_b events', () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'ping', created: 1, data: { object: {} } })
  const at = 1_790_000_000
  const genuine = (header: string | undefined, now = at, payload = body, secrets = [formSecret]) =>
    providerOf(
      {
        allowHosts: [],
        payments: { provider: 'hosted_b', keyId: 'k', keySecret: 's', webhookSecrets: secrets },
      },
      now * 1_000,
    ).events?.isGenuine({
      body: Buffer.from(payload),
      header: (name) => (name === 'stripe-signature' ? header : undefined),
    })
  const signed = (timestamp = at, secret = formSecret) =>
    Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })

  it('are genuine when the provider’s own library has signed them, for five minutes', () => {
    expect(
      Stripe.webhooks.constructEvent(body, signed(), formSecret, undefined, undefined, at * 1_000).id,
    ).toBe('evt_1')
    for (const age of [0, 299, 300, -300]) expect([age, genuine(signed(), at + age)]).toEqual([age, true])
    for (const age of [301, -301, 86_400]) expect([age, genuine(signed(), at + age)]).toEqual([age, false])
  })

  it('may be signed with either of two secrets, and by several at once', () => {
    const [time, one] = signed(at, 'old').split(',')
    const [, other] = signed(at, 'new').split(',')
    expect(genuine(`${time},${one}`, at, body, ['new', 'old'])).toBe(true)
    expect(genuine(`${time},${one},${other}`, at, body, ['new'])).toBe(true)
    expect(genuine(`${time},${one}`, at, body, ['new'])).toBe(false)
  })

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no time', signed().split(',')[1]],
    ['a time that is no number', signed().replace(`t=${at}`, 't=soon')],
    ['another time', signed().replace(`t=${at}`, `t=${at + 1}`)],
    ['no signature', `t=${at}`],
    ['a signature of another scheme', signed().replace('v1=', 'v0=')],
    ['another secret', signed(at, 'other')],
    ['a cut signature', signed().slice(0, -1)],
  ])('are refused with %s', (_, header) => {
    expect(genuine(header)).toBe(false)
  })

  it('are refused when the body was changed', () => {
    expect(genuine(signed(), at, ` ${body}`)).toBe(false)
    expect(genuine(signed(), at, body.slice(0, -1))).toBe(false)
    expect(genuine(signed(), at, JSON.stringify(JSON.parse(body), null, 2))).toBe(false)
  })
})
