import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator, expectRefused, type Operator } from '../../kit/operator.ts'
import { detail, onboard } from '../onboarding.ts'

const dayMs = 86_400_000

describe('admin.tenants.override_billing', () => {
  const override = (operator: Operator, id: string, body: object) =>
    operator.send('POST', `/admin/v1/tenants/${id}/billing/override`, { reason: 'agreed by phone', ...body })

  it('extends a trial, grants a discount, changes the plan and marks as paid, each with an audit record', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    const done = (action: string) => ({ status: 200, json: { tenantId, action, applied: true } })
    expect(await override(operator, tenantId, { action: 'extend_trial', value: '10' })).toMatchObject(
      done('extend_trial'),
    )
    const { data } = (await operator.send('GET', '/admin/v1/tenants')).json
    const trialEndsAt = new Date(clock.now() + 10 * dayMs).toISOString()
    expect(data).toMatchObject([{ status: 'trial', trialEndsAt }])
    expect(await override(operator, tenantId, { action: 'apply_discount', value: 25 })).toMatchObject(
      done('apply_discount'),
    )
    expect(await override(operator, tenantId, { action: 'change_plan', value: 'agency' })).toMatchObject(
      done('change_plan'),
    )
    expect(await override(operator, tenantId, { action: 'mark_paid' })).toMatchObject(done('mark_paid'))
    expect(await detail(operator, tenantId)).toMatchObject({
      status: 'active',
      plan: 'agency',
      billing: {
        paymentStatus: 'current',
        lastPaymentUsd: expect.any(Number),
        lastPaymentDate: clock.date().toISOString(),
      },
    })
    const log = (
      await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log?filter.action=billing.override`)
    ).json
    expect(log.data).toHaveLength(4)
    expect(log.data[0]).toMatchObject({
      before: { status: 'trialing', tenantStatus: 'trial' },
      after: { status: 'active', tenantStatus: 'active', action: 'mark_paid', reason: 'agreed by phone' },
    })
  })

  it('rejects invalid values, and changes nothing', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = (await onboard(app, operator)).json
    for (const body of [
      { action: 'extend_trial', value: 0 },
      { action: 'extend_trial' },
      { action: 'apply_discount', value: 101 },
      { action: 'apply_discount', value: 2.5 },
      { action: 'change_plan', value: 'gold' },
      { action: 'change_plan', value: 7 },
      { action: 'mark_paid', value: 1 },
    ])
      await expectRefused(app, () => override(operator, tenantId, body), { status: 400, field: 'value' })
    const unreasoned = () => override(operator, tenantId, { action: 'mark_paid', reason: ' ' })
    await expectRefused(app, unreasoned, { status: 400, field: 'reason' })
    const { id } = await app.copydesk.asSystem().tenants.create({ name: 'No subscription' })
    const none = () => override(operator, id, { action: 'mark_paid' })
    await expectRefused(app, none, { status: 400, code: 'BAD_REQUEST' })
    await override(operator, tenantId, { action: 'mark_paid' })
    const late = () => override(operator, tenantId, { action: 'extend_trial', value: 5 })
    await expectRefused(app, late, { status: 422, code: 'UNPROCESSABLE' })
  })
})
