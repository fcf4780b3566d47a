import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createOperator, expectRefused } from '../../kit/operator.ts'
import { detail, onboard } from '../onboarding.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const invalid = { status: 400, code: 'VALIDATION_ERROR' }

const company = async (app: TestApp) =>
  (
    await app.copydesk
      .asSystem()
      .tenants.create({ name: 'Hearth & Oat', domain: 'hearth.example', plan: 'pro' })
  ).id

describe('admin.tenants.change', () => {
  it('changes the given fields, keeps the rest, and writes an audit record with both states', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const id = await company(app)
    const agents = async () => (await operator.send('GET', `/admin/v1/tenants/${id}`)).json.agents.length
    const before = await agents()
    const changes = {
      name: 'Hearth Ltd',
      plan: 'enterprise',
      spendCapUsd: 12.5,
      featureFlags: { beta: true },
    }
    const { status, json } = await operator.send('PATCH', `/admin/v1/tenants/${id}`, changes)
    expect(status).toBe(200)
    expect(json).toMatchObject({ id, domain: 'hearth.example', status: 'active', ...changes })
    expect(await agents()).toBeGreaterThanOrEqual(before)
    expect(
      (await operator.send('PATCH', `/admin/v1/tenants/${id}`, { spendCapUsd: null })).json,
    ).toMatchObject({
      ...changes,
      spendCapUsd: null,
    })
    const { json: log } = await operator.send(
      'GET',
      `/admin/v1/tenants/${id}/audit-log?filter.action=tenant.updated`,
    )
    expect(log.data[1]).toMatchObject({
      actor: { id: operator.id, type: 'human', name: 'Olga Operator' },
      before: { name: 'Hearth & Oat', plan: 'pro', status: 'active', spendCapUsd: null, featureFlags: {} },
      after: { ...changes, status: 'active' },
    })
  })

  it('rejects invalid values, unknown fields and unknown tenants, and changes nothing', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const id = await company(app)
    for (const [body, field] of [
      [{ name: ' ' }, 'name'],
      [{ plan: 'gold' }, 'plan'],
      [{ status: 'trial' }, 'status'],
      [{ spendCapUsd: -1 }, 'spendCapUsd'],
      [{ spendCapUsd: 0.000_000_1 }, 'spendCapUsd'],
      [{ featureFlags: { beta: 'yes' } }, 'featureFlags.beta'],
    ] as const) {
      const act = () => operator.send('PATCH', `/admin/v1/tenants/${id}`, body)
      await expectRefused(app, act, { ...invalid, field })
    }
    await expectRefused(
      app,
      () => operator.send('PATCH', `/admin/v1/tenants/${id}`, { id: unknownId }),
      invalid,
    )
    const unknown = () => operator.send('PATCH', `/admin/v1/tenants/${unknownId}`, { name: 'X' })
    await expectRefused(app, unknown, { status: 404, code: 'NOT_FOUND' })
  })

  it('changes the subscription to the plan, begins billing with the status active, and ends it with cancelled', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    const change = (body: object) => operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, body)
    const subscription = () => app.db.sql.get('select * from subscriptions where tenant_id = ?', [tenantId])
    await expectRefused(app, () => change({ name: 'Never', plan: 'gold' }), { status: 400, field: 'plan' })
    const before = await subscription()
    expect((await change({ plan: 'agency' })).json).toMatchObject({ plan: 'agency', status: 'onboarding' })
    expect(await subscription()).toMatchObject({ id: before?.id, plan: 'agency', status: 'pending' })
    expect((await change({ status: 'active' })).json.status).toBe('active')
    expect((await detail(operator, tenantId)).billing).toMatchObject({
      paymentStatus: 'current',
      nextBillingDate: expect.any(String),
    })
    expect((await change({ status: 'cancelled' })).json.status).toBe('cancelled')
    const { billing } = await detail(operator, tenantId)
    expect(billing).toEqual({ subscriptionId: before?.id, paymentStatus: 'cancelled' })
  })
})
