import { extractText } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'
import { subscribe } from '../../kit/subscriptions.ts'

/** A tenant on the plan `pro`, with one invoice of 99 dollars. */
async function customer(app: TestApp, name = 'Hearth & Oat') {
  const team = await app.team(name)
  return { ...team, invoiceId: await subscribe(app, team.tenantId) }
}

const pdfOf = (app: TestApp, path: string, token: string) =>
  app.fetch(`${path}?format=pdf`, { headers: { authorization: `Bearer ${token}` } })

async function textOf(response: Response): Promise<string> {
  const { text } = await extractText(new Uint8Array(await response.arrayBuffer()), { mergePages: true })
  return text
}

describe('tenant.billing.subscription', () => {
  it('shows the plan, its price and the period to every member, and 404 to a tenant without one', async () => {
    await using app = await createTestApp({ worker: false })
    const { member } = await customer(app)
    expect(await member.call('tenant', 'GET /billing/subscription')).toMatchObject({
      plan: 'pro',
      status: 'active',
      priceAmount: 9_900,
      priceFormatted: '$99.00',
      cancelsAtPeriodEnd: false,
    })
    const { member: other } = await app.team()
    await expect(other.call('tenant', 'GET /billing/subscription')).rejects.toMatchObject({ status: 404 })
  })
})

describe('tenant.billing.change', () => {
  it('moves an admin’s tenant to another plan at once and bills the difference', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin, member } = await customer(app)
    const body = { plan: 'agency' as const }
    const change = 'POST /billing/subscription/change' as const
    await expect(member.call('tenant', change, { body })).rejects.toMatchObject({ status: 403 })
    expect(await admin.call('tenant', change, { body })).toMatchObject({
      plan: 'agency',
      priceAmount: 29_900,
    })
    await expect(admin.call('tenant', change, { body })).rejects.toMatchObject({ status: 409 })
    await expect(admin.call('tenant', change, { body: {} })).rejects.toMatchObject({ status: 400 })
    const { data } = await admin.call('tenant', 'GET /billing/invoices')
    const [difference] = data
    expect(data).toHaveLength(2)
    expect(difference?.amount).toBeGreaterThan(0)
    expect(difference?.amount).toBeLessThanOrEqual(20_000)
  })
})

describe('tenant.billing.cancel', () => {
  it('ends the subscription with its period, and changes nothing when asked again', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin, member } = await customer(app)
    const cancel = 'POST /billing/subscription/cancel' as const
    await expect(member.call('tenant', cancel)).rejects.toMatchObject({ status: 403 })
    const first = await admin.call('tenant', cancel)
    expect(first).toMatchObject({ status: 'active', cancelsAtPeriodEnd: true, nextBillingDate: null })
    expect(await admin.call('tenant', cancel)).toEqual(first)
  })
})

describe('tenant.billing.invoices', () => {
  it('lists the invoices of the tenant, and of no other', async () => {
    await using app = await createTestApp({ worker: false })
    const { member, invoiceId } = await customer(app)
    await customer(app, 'Another')
    const { data } = await member.call('tenant', 'GET /billing/invoices')
    expect(data).toMatchObject([{ id: invoiceId, amount: 9_900, status: 'pending' }])
  })
})

describe('tenant.billing.invoice', () => {
  it('shows the lines, which add up, and the same as a PDF', async () => {
    await using app = await createTestApp({ worker: false })
    const { member, adminToken, invoiceId } = await customer(app)
    const invoice = await member.call('tenant', 'GET /billing/invoices/:invoiceId', { params: { invoiceId } })
    expect(invoice.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(9_900)
    const pdf = await pdfOf(app, `/tenant/v1/billing/invoices/${invoiceId}`, adminToken)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const text = await textOf(pdf)
    expect(text).toContain(invoice.number)
    expect(text).toContain('$99.00')
  })

  it('is 404 for an invoice of another tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const { invoiceId } = await customer(app)
    const { member } = await customer(app, 'Another')
    const params = { invoiceId }
    await expect(member.call('tenant', 'GET /billing/invoices/:invoiceId', { params })).rejects.toMatchObject(
      { status: 404 },
    )
  })
})

describe('tenant.billing.usage', () => {
  it('shows what is included and what was used of it', async () => {
    await using app = await createTestApp({ worker: false })
    const { member } = await customer(app)
    expect(await member.call('tenant', 'GET /billing/usage')).toMatchObject({
      currency: 'USD',
      includedUsd: null,
      usedUsd: 0,
      overageAmount: 0,
      kinds: [],
    })
  })
})

describe('admin.invoices.list', () => {
  it('lists the invoices of all tenants with totals over all that the filter finds', async () => {
    await using app = await createTestApp({ worker: false })
    const first = await customer(app)
    const second = await customer(app, 'Another')
    const { client } = await createOperator(app)
    const list = (query: object = {}) => client.call('admin', 'GET /invoices', { query })
    const { data, totals, pagination } = await list({ limit: 1 })
    expect(data).toMatchObject([
      {
        id: second.invoiceId,
        tenantName: 'Another',
        amountInr: 9_900,
        amountInrFormatted: '$99.00',
        plan: 'pro',
      },
    ])
    expect(pagination.hasMore).toBe(true)
    expect(totals).toEqual({
      totalAmountInr: 0,
      countPaid: 0,
      countFailed: 0,
      totalsByCurrency: [{ currency: 'USD', totalAmount: 19_800, totalFormatted: '$198.00' }],
    })
    const own = await list({ 'filter.tenantId': first.tenantId })
    expect(own.data.map(({ id }) => id)).toEqual([first.invoiceId])
    expect((await list({ 'filter.status': 'paid' })).data).toEqual([])
    expect((await list({ 'filter.plan': 'free' })).data).toEqual([])
    expect((await list({ 'filter.endDate': '2020-01-01' })).data).toEqual([])
  })
})

describe('admin.invoices.get', () => {
  it('shows the invoice of any tenant, and its PDF', async () => {
    await using app = await createTestApp({ worker: false })
    const { invoiceId } = await customer(app)
    const { client, token } = await createOperator(app)
    const invoice = await client.call('admin', 'GET /invoices/:invoiceId', { params: { invoiceId } })
    expect(invoice).toMatchObject({ id: invoiceId, tenantName: 'Hearth & Oat' })
    expect(await textOf(await pdfOf(app, `/admin/v1/invoices/${invoiceId}`, token))).toContain(invoice.number)
  })
})
