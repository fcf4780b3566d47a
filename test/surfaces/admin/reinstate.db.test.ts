import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator, expectRefused } from '../../kit/operator.ts'
import { onboard } from '../onboarding.ts'
import { agentStates, logIn, reinstate, statusOn, suspend } from '../suspending.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('admin.tenants.reinstate', () => {
  it('restores the previous state of agents and the access of users at once, and keeps old tokens invalid', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminToken } = await app.team()
    const other = await app.another({ worker: false })
    const [first, second, third] = await agentStates(app, tenantId)
    for (const [status, role] of [
      ['paused', first?.role],
      ['error', second?.role],
      ['terminated', third?.role],
    ] as Array<[string, string]>)
      await app.db.write((tx) =>
        tx.run('update tenant_agents set status = ? where tenant_id = ? and role = ?', [
          status,
          tenantId,
          role,
        ]),
      )
    const before = await agentStates(app, tenantId)
    const { agentsPaused } = (await suspend(operator, tenantId)).json
    expect(agentsPaused).toBe(before.length - 2)
    const during = new Set((await agentStates(app, tenantId)).map(({ status }) => status))
    expect(during).toEqual(new Set(['paused', 'terminated']))

    const { status, json } = await reinstate(operator, tenantId, { note: 'has paid' })
    expect({ status, json }).toEqual({
      status: 200,
      json: { tenantId, status: 'active', agentsResumed: agentsPaused },
    })
    expect(await agentStates(app, tenantId)).toEqual(before)
    const { accessToken } = (await logIn(app)).json
    expect(await statusOn(app.copydesk, accessToken, '/dashboard/v1/campaigns')).toBe(200)
    await app.until(
      async () => (await statusOn(other, accessToken, '/dashboard/v1/campaigns')) === 200,
      'the other server lets the person in',
    )
    expect(await statusOn(app.copydesk, adminToken)).toBe(401)
    await app.until(
      async () => (await statusOn(other, adminToken)) === 401,
      'the other server has heard of it',
    )
    expect(await statusOn(other, accessToken, '/dashboard/v1/campaigns')).toBe(200)
    const { data } = (await operator.send('GET', `/admin/v1/tenants/${tenantId}/audit-log`)).json
    expect(data.slice(0, 3)).toMatchObject([
      { action: 'auth.login' },
      {
        action: 'tenant.reinstated',
        before: { status: 'suspended' },
        after: { status: 'active', note: 'has paid', agentsResumed: agentsPaused },
      },
      { action: 'tenant.suspended', before: { status: 'active' }, after: { reason: 'unpaid', agentsPaused } },
    ])
  })

  it('takes effect at once on a server that has just cached the suspension', async () => {
    await using app = await createTestApp({ clock: createTestClock(), worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    await suspend(operator, tenantId)
    const looking = await operator.send('POST', `/admin/v1/tenants/${tenantId}/impersonate`)
    const token = looking.json.impersonationToken
    expect(await statusOn(app.copydesk, token, '/dashboard/v1/campaigns')).toBe(200)
    await reinstate(operator, tenantId)
    const { accessToken } = (await logIn(app)).json
    expect(await statusOn(app.copydesk, accessToken, '/dashboard/v1/campaigns')).toBe(200)
  })

  it('does not reactivate an agent that was terminated meanwhile', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const { agentsPaused } = (await suspend(operator, tenantId)).json
    const [{ role } = { role: '' }] = await agentStates(app, tenantId)
    await app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where tenant_id = ? and role = ?`, [
        tenantId,
        role,
      ]),
    )
    expect((await reinstate(operator, tenantId)).json.agentsResumed).toBe(agentsPaused - 1)
    expect((await agentStates(app, tenantId))[0]?.status).toBe('terminated')
  })

  it('rejects a tenant that is not suspended, and an unknown one', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    await expectRefused(app, () => reinstate(operator, tenantId), { status: 409, code: 'CONFLICT' })
    await expectRefused(app, () => reinstate(operator, unknownId), { status: 404, code: 'NOT_FOUND' })
  })

  it('continues a trial, and begins the billing of a tenant that was never activated', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const ids: string[] = []
    for (const email of ['a@test.example', 'b@test.example'])
      ids.push((await onboard(app, operator, { email })).json.tenantId)
    const [trying, fresh] = ids as [string, string]
    const more = { action: 'extend_trial', value: 10, reason: 'test' }
    await operator.send('POST', `/admin/v1/tenants/${trying}/billing/override`, more)
    for (const id of ids) await suspend(operator, id)
    expect((await reinstate(operator, trying)).json.status).toBe('trial')
    expect((await reinstate(operator, fresh)).json.status).toBe('active')
    const { billing } = (await operator.send('GET', `/admin/v1/tenants/${fresh}`)).json
    expect(billing.nextBillingDate).toBe('2026-05-01T00:00:00.000Z')
  })
})

describe('admin.tenants.change of a status', () => {
  it('has the effects of suspending and reinstating, and emits each event once', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminToken } = await app.team()
    const before = await agentStates(app, tenantId)
    const change = (status: string) => operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, { status })
    for (const status of ['suspended', 'suspended', 'cancelled']) {
      expect((await change(status)).json.status).toBe(status)
      expect(await statusOn(app.copydesk, adminToken)).toBe(401)
      expect(await logIn(app)).toMatchObject({ status: 403 })
      expect(new Set((await agentStates(app, tenantId)).map((agent) => agent.status))).toEqual(
        new Set(['paused']),
      )
    }
    expect((await change('active')).json.status).toBe('active')
    expect(await agentStates(app, tenantId)).toEqual(before)
    expect((await logIn(app)).status).toBe(200)
  })
})
