import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'
import { callWebhook, startPaymentServer } from '../../kit/payment-server.ts'
import { complete, createOpenApp, ready } from '../auth/registrations.ts'

/** Tells of a subscription as the provider does, and waits until it is applied. */
async function tell(app: TestApp, event: string, subscription: string, payment?: string): Promise<void> {
  const entity = { id: payment, amount: 7900, currency: 'GBP' }
  const body = {
    id: `evt_${event}_${payment}`,
    event,
    created_at: Math.floor(Date.now() / 1_000),
    payload: {
      subscription: { entity: { id: subscription } },
      ...(payment !== undefined && { payment: { entity } }),
    },
  }
  expect((await callWebhook(app, JSON.stringify(body))).status).toBe(200)
  const waiting = `select 1 from payment_events where status = 'received'`
  await app.until(async () => (await app.db.sql.all(waiting)).length === 0, 'the event is applied')
}

/** A company that has registered for a paid plan at a provider and not paid yet, with its one invoice. */
async function customer(app: TestApp) {
  const { json } = await complete(app, await ready(app), { plan: 'pro' })
  const { client: operator } = await createOperator(app)
  const { data } = await operator.call('admin', 'GET /invoices', {})
  return {
    admin: app.clientFor(json.accessToken as string),
    operator,
    subscription: json.paymentSubscriptionId as string,
    invoiceId: data[0]?.id as string,
  }
}

const invoices = (app: TestApp) =>
  app.db.sql.all<Record<string, unknown>>(
    `select status, payment_entity_id as payment from invoices where type <> 'credit_note' order by id`,
  )

describe('pg.webhook: cli.invoices.mark_paid', () => {
  it('leaves an invoice as paid that a person has marked as such, with the reference', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { operator, subscription, invoiceId } = await customer(app)
    await operator.call('cli', 'POST /invoices/:invoiceId/mark-paid', {
      params: { invoiceId },
      body: { reference: 'transfer 4711' },
    })
    const paid = [{ status: 'paid', payment: 'transfer 4711' }]
    expect(await invoices(app)).toEqual(paid)
    for (const event of ['subscription.activated', 'payment.failed']) await tell(app, event, subscription)
    expect(await invoices(app)).toEqual(paid)
    await tell(app, 'subscription.charged', subscription, 'pay_1')
    expect(await invoices(app)).toEqual(paid)
  })
})

describe('pg.webhook: a credited invoice', () => {
  it('is asked for no more, and takes no payment from the next one', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { admin, subscription, invoiceId } = await customer(app)
    await app.copydesk.asSystem().invoices.credit(invoiceId, { reason: 'A wrong address' })
    await tell(app, 'subscription.activated', subscription)
    expect(await invoices(app)).toEqual([{ status: 'refunded', payment: null }])
    await admin.call('tenant', 'POST /billing/subscription/change', { body: { plan: 'agency' } })
    await tell(app, 'subscription.charged', subscription, 'pay_1')
    expect(await invoices(app)).toEqual([
      { status: 'refunded', payment: null },
      { status: 'paid', payment: 'pay_1' },
    ])
  })

  it('stays so after it was paid', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { subscription, invoiceId } = await customer(app)
    await tell(app, 'subscription.charged', subscription, 'pay_1')
    await app.copydesk.asSystem().invoices.credit(invoiceId, { reason: 'It was not used' })
    await tell(app, 'payment.failed', subscription)
    expect(await invoices(app)).toEqual([{ status: 'refunded', payment: 'pay_1' }])
  })

  it('is not open again once the provider says that a subscription which never began is over', async () => {
    await using provider = await startPaymentServer()
    await using app = await createOpenApp(provider.options)
    const { admin, subscription } = await customer(app)
    await admin.call('tenant', 'POST /billing/subscription/cancel', {})
    await tell(app, 'subscription.cancelled', subscription)
    const { data } = await admin.call('tenant', 'GET /billing/invoices', {
      query: { 'filter.status': 'pending' },
    })
    expect(data).toEqual([])
    expect(await invoices(app)).toEqual([{ status: 'refunded', payment: null }])
  })
})
