import { Stripe } from 'stripe'
import { extractText } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { formSecret, startFormProvider } from '../../kit/form-provider-server.ts'
import { callWebhook, startPaymentServer } from '../../kit/payment-server.ts'
import { complete, createOpenApp, person, ready } from './registrations.ts'

const currencies = [
  { country: 'JP', currency: 'JPY', price: 14_800, off: 3_700, due: 11_100, text: '¥11,100' },
  // A quarter off would be 22.425; providers charge no half steps of 0.010.
  { country: 'KW', currency: 'KWD', price: 29_900, off: 7_480, due: 22_420, text: /KWD\s22\.420/ },
]

/** Registers for the plan `pro` with a quarter off. */
async function register(app: Awaited<ReturnType<typeof createOpenApp>>, country: string) {
  await app.copydesk.asSystem().coupons.create({ code: 'QUARTER', percentOff: 25 })
  const token = await ready(app, { person: { country }, place: { timezone: 'Asia/Tokyo' } })
  const { status, json } = await complete(app, token, { plan: 'pro', coupon: 'QUARTER' })
  expect(status).toBe(201)
  const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
    body: { email: person.email, password: person.password, app: 'dashboard' },
  })
  return { subscription: json.paymentSubscriptionId as string, accessToken }
}

describe.each(currencies)('a price in $currency', ({ country, currency, price, off, due, text }) => {
  it('is the same at checkout, on the invoice and in the event that pays it', async () => {
    await using provider = await startFormProvider()
    await using app = await createOpenApp(provider.options)
    const { subscription, accessToken } = await register(app, country)
    expect([...provider.prices.values()]).toMatchObject([
      { currency: currency.toLowerCase(), unit_amount: due },
    ])
    const client = app.clientFor(accessToken)
    expect(await client.call('tenant', 'GET /billing/subscription')).toMatchObject({
      currency,
      priceAmount: price,
      discount: off,
      priceFormatted: expect.stringMatching(text),
    })
    const payload = JSON.stringify({
      id: 'evt_1',
      type: 'invoice.paid',
      created: Math.floor(Date.now() / 1_000),
      data: { object: { id: 'in_1', amount_paid: due, currency: currency.toLowerCase(), subscription } },
    })
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: formSecret })
    await callWebhook(app, payload, { headers: { 'stripe-signature': signature } })
    const paid = async () => (await client.call('tenant', 'GET /billing/invoices')).data[0]?.status === 'paid'
    await app.until(paid, 'the invoice is paid')
    const [invoice] = (await client.call('tenant', 'GET /billing/invoices')).data
    expect(invoice).toMatchObject({ amount: due, currency })
    const pdf = await app.fetch(`/tenant/v1/billing/invoices/${invoice?.id}?format=pdf`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const { text: read } = await extractText(new Uint8Array(await pdf.arrayBuffer()), { mergePages: true })
    expect(read).toMatch(text)
    const [payment] = await app.db.sql.all<Record<string, unknown>>('select * from payments')
    expect([Number(payment?.['amount']), payment?.['currency']]).toEqual([due, currency])
  })

  it('is asked for in its smallest unit of the other provider too', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp({ ...provider.options, worker: false })
    await register(app, country)
    expect([...provider.plans.values()]).toMatchObject([{ item: { amount: due, currency } }])
  })
})

describe('a price in a currency with three decimals', () => {
  it('is a multiple of what providers can charge', async () => {
    await using app = await createOpenApp({ worker: false })
    const set = async (amount: number) =>
      app.copydesk.asSystem().plans.setPrice({ plan: 'pro', region: 'KW', amount })
    await expect(set(29_905)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'amount' })
    expect(await set(29_910)).toMatchObject({ amount: 29_910, currency: 'KWD' })
  })
})
