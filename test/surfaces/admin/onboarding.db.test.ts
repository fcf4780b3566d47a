import { describe, expect, it } from 'vitest'
import { createTestApp, password } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator, expectRefused } from '../../kit/operator.ts'
import { customer, detail, markPaid, onboard } from '../onboarding.ts'

const dayMs = 86_400_000
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const custom = {
  customPlanName: 'Bakers',
  customRegionId: 'IN',
  customPrice: 250_000,
  customCycle: 'quarterly',
}

describe('admin.tenants.create', () => {
  it('creates a tenant, an admin who can log in, a subscription, the first invoice and an audit record', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const more = {
      gstin: '29ABCDE1234F2Z5',
      tdsDeduction: true,
      billingCity: 'Bristol',
      timezone: 'Europe/London',
    }
    const { status, json } = await onboard(app, operator, more)
    expect(status).toBe(201)
    expect(json).toEqual({
      tenantId: expect.any(String),
      tenantName: 'Hearth & Oat',
      userId: expect.any(String),
      email: 'ada@hearth.example',
      invoiceId: expect.any(String),
      invoiceNumber: expect.stringMatching(/^INV-2026-\d{6}$/),
    })
    const { tenantId, invoiceId } = json
    expect(await detail(operator, tenantId)).toMatchObject({
      status: 'onboarding',
      plan: 'pro',
      timezone: 'Europe/London',
      billing: { subscriptionId: expect.any(String) },
      users: [{ email: 'ada@hearth.example', name: 'Ada Admin', role: 'admin', status: 'active' }],
    })
    const one = (text: string, id: string) => app.db.sql.get(text, [id])
    const invoice = await one('select * from invoices where id = ?', invoiceId)
    expect(invoice).toMatchObject({
      tenant_id: tenantId,
      type: 'subscription',
      status: 'pending',
      paid_on: null,
    })
    expect(new Date(invoice?.due_date as never).getTime()).toBe(clock.now() + 7 * dayMs)
    expect(await one('select * from subscriptions where tenant_id = ?', tenantId)).toMatchObject({
      status: 'pending',
      started_at: null,
      next_billing_at: null,
    })
    expect(await one('select * from tenant_profiles where tenant_id = ?', tenantId)).toMatchObject({
      gstin: more.gstin,
      billing_city: 'Bristol',
    })
    const { json: log } = await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log`)
    expect(log.data).toMatchObject([
      { action: 'invoice.issued', actor: { id: operator.id } },
      { action: 'tenant.created', before: null, actor: { id: operator.id } },
    ])
    const session = await app
      .clientFor()
      .call('auth', 'POST /login', { body: { email: customer.email, password, app: 'dashboard' } })
    expect(session.user).toMatchObject({ tenantId, role: 'admin' })
    const everything = JSON.stringify(await app.db.sql.all('select * from audit_records'))
    expect(everything).not.toContain(customer.password)
  })

  it('accepts a custom plan with its own price', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { status, json } = await onboard(app, operator, { planId: undefined, ...custom })
    expect(status).toBe(201)
    const row = await app.db.sql.get('select * from subscriptions where tenant_id = ?', [json.tenantId])
    expect(row).toMatchObject({ plan_label: 'Bakers', region: 'IN', currency: 'INR', cycle: 'quarterly' })
    expect(Number(row?.price_amount)).toBe(250_000)
    expect((await detail(operator, json.tenantId)).plan).toBe('enterprise')
  })

  it('rejects an e-mail address and a domain that are taken, and creates nothing', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    await onboard(app, operator, { domain: 'hearth.example' })
    const conflict = { status: 409, code: 'CONFLICT' }
    await expectRefused(app, () => onboard(app, operator, { email: 'ADA@hearth.example' }), {
      ...conflict,
      field: 'email',
    })
    const other = { email: 'bea@hearth.example', domain: 'Hearth.example' }
    await expectRefused(app, () => onboard(app, operator, other), { ...conflict, field: 'domain' })
  })

  it('accepts one of two concurrent requests with the same e-mail address', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const answers = await Promise.all([onboard(app, operator), onboard(app, operator)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect((await operator.send('GET', '/admin/v1/tenants')).json.data).toHaveLength(1)
  })

  it('rejects a missing plan, two plans, an incomplete plan and invalid fields', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    for (const [changes, field] of [
      [{ planId: undefined }, 'planId'],
      [{ planId: unknownId }, 'planId'],
      [{ ...custom }, 'planId'],
      [{ planId: undefined, ...custom, customPrice: undefined }, 'customPrice'],
      [{ planId: undefined, ...custom, customRegionId: 'Mars' }, 'customRegionId'],
      [{ planId: undefined, ...custom, customPrice: 1.5 }, 'customPrice'],
      [{ password: 'short' }, 'password'],
      [{ email: 'nobody' }, 'email'],
      [{ displayName: ' ' }, 'displayName'],
      [{ billingCountry: 'XX' }, 'billingCountry'],
      [{ timezone: 'Mars/North' }, 'timezone'],
      [{ firstName: undefined }, 'firstName'],
    ] as const)
      await expectRefused(app, () => onboard(app, operator, changes), {
        status: 400,
        code: 'VALIDATION_ERROR',
        field,
      })
  })
})

describe('admin.tenants.activate', () => {
  it('starts billing now and returns the first day of the next month', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    const path = `/admin/v1/tenants/${tenantId}/activate`
    await markPaid(operator, tenantId)
    expect(await detail(operator, tenantId)).toMatchObject({ status: 'onboarding' })
    clock.advance(dayMs)
    await operator.renew()
    const { status, json } = await operator.send('PATCH', path, { isActive: true })
    expect({ status, json }).toEqual({
      status: 200,
      json: { tenantId, status: 'active', message: expect.stringContaining('2026-05-01') },
    })
    expect(await detail(operator, tenantId)).toMatchObject({
      status: 'active',
      billing: { nextBillingDate: '2026-05-01T00:00:00.000Z', paymentStatus: 'current' },
    })
    const row = await app.db.sql.get('select started_at from subscriptions where tenant_id = ?', [tenantId])
    expect(new Date(row?.started_at as never).getTime()).toBe(clock.now())
    expect(await app.db.sql.all('select id from invoices')).toHaveLength(1)
    const { json: log } = await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?limit=1`)
    expect(log.data).toMatchObject([
      { action: 'tenant.activated', before: { status: 'onboarding' }, after: { status: 'active' } },
    ])
    await expectRefused(app, () => operator.send('PATCH', path, { isActive: true }), {
      status: 409,
      code: 'CONFLICT',
    })
  })

  it('returns 400 BAD_REQUEST while the subscription was never paid, also in a trial', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    const activate = () =>
      operator.send('PATCH', `/admin/v1/tenants/${tenantId}/activate`, { isActive: true })
    const unpaid = { status: 400, code: 'BAD_REQUEST' }
    await expectRefused(app, activate, unpaid)
    expect((await activate()).json.error.message).toContain('mark_paid')
    const override = (body: object) =>
      operator.send('POST', `/admin/v1/tenants/${tenantId}/billing/override`, { reason: 'test', ...body })
    await override({ action: 'extend_trial', value: 5 })
    await expectRefused(app, activate, unpaid)
    expect(await detail(operator, tenantId)).toMatchObject({ status: 'trial' })
    await override({ action: 'apply_discount', value: 100 })
    expect((await activate()).status).toBe(200)
  })

  it('is not required when an operator sets the status: the open invoice is overdue a week later', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    await operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, { status: 'active' })
    expect((await detail(operator, tenantId)).billing.paymentStatus).toBe('current')
    clock.advance(8 * dayMs)
    await operator.renew()
    expect((await detail(operator, tenantId)).billing.paymentStatus).toBe('overdue')
  })

  it('succeeds at once when there is nothing to pay', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { json: plans } = await operator.send('GET', '/auth/v1/plans')
    const planId = plans.find(({ name }: { name: string }) => name === 'free').id
    const { tenantId } = (await onboard(app, operator, { planId })).json
    const path = `/admin/v1/tenants/${tenantId}/activate`
    expect((await operator.send('PATCH', path, { isActive: true })).status).toBe(200)
    expect(await detail(operator, tenantId)).toMatchObject({ status: 'active', plan: 'free' })
  })

  it('requires a subscription, the value true, and a tenant that is not suspended', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    const activate = (id: string, body: object = { isActive: true }) =>
      operator.send('PATCH', `/admin/v1/tenants/${id}/activate`, body)
    for (const body of [{}, { isActive: false }])
      await expectRefused(app, () => activate(tenantId, body), { status: 400, field: 'isActive' })
    await operator.send('POST', `/admin/v1/tenants/${tenantId}/suspend`, { reason: 'test' })
    await expectRefused(app, () => activate(tenantId), { status: 409, code: 'CONFLICT' })
    await expectRefused(app, () => activate(unknownId), { status: 404, code: 'NOT_FOUND' })
    const { id } = await app.copydesk.asSystem().tenants.create({ name: 'No subscription' })
    await app.db.write((tx) => tx.run(`update tenants set status = 'onboarding' where id = ?`, [id]))
    await expectRefused(app, () => activate(id), { status: 400, code: 'BAD_REQUEST' })
  })
})
