import { describe, expect, it } from 'vitest'
import { createRecurringRound } from '../../../packages/core/src/domain/work/recurring/fire.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'
import { parts } from '../agents.ts'
import { createRecurringHarness, run, template } from './recurring-harness.ts'

const minute = 60_000
const hour = 60 * minute

describe('recurring templates', () => {
  it('create an activity for each tenant at its local time of day, once, with the prompt filled in', async () => {
    await using harness = await createRecurringHarness('2026-04-10T00:00:00Z')
    await harness.tenantIn('Asia/Kolkata', 'East')
    await harness.tenantIn('America/New_York', 'West')
    await harness.system.recurring.create(template())
    await harness.goTo('2026-04-10T03:29:59Z', hour)
    expect(await harness.prompts()).toEqual([])
    await harness.goTo('2026-04-10T03:30:00Z')
    expect(await harness.prompts()).toEqual(['East, 2026-04-10: sales'])
    const [made] = await harness.app.db.sql.all(
      'select title, type, agent_role, status, wake_reason from activities',
    )
    expect(made).toEqual({
      title: 'Report',
      type: 'report',
      agent_role: 'analyst',
      status: 'assigned',
      wake_reason: 'scheduled',
    })
    const at = harness.clock.date()
    expect((await harness.system.recurring.list()).data[0]).toMatchObject({
      lastRunAt: at,
      nextRunAt: new Date('2026-04-10T13:00:00Z'),
    })
    await harness.goTo('2026-04-10T13:00:00Z', hour)
    expect(await harness.prompts()).toEqual(['East, 2026-04-10: sales', 'West, 2026-04-10: sales'])
  })

  it('create an activity once, however many processes check concurrently', async () => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    for (const name of ['A', 'B', 'C']) await harness.tenantIn('UTC', name)
    await harness.system.recurring.create(template())
    harness.clock.advance(hour)
    await using other = await parts(harness.app)
    const rounds = Array.from(
      { length: 6 },
      (_, i) => [createRecurringRound(), i % 2 ? harness.inside : other] as const,
    )
    await Promise.all(rounds.map(([round, process]) => round(process.system())))
    expect(await harness.prompts()).toEqual(['A', 'B', 'C'].map((name) => `${name}, 2026-04-10: sales`))
  })

  it('catch up once after an outage, and not for times before their creation', async () => {
    await using harness = await createRecurringHarness('2026-04-10T09:30:00Z')
    await harness.tenantIn('UTC', 'Old')
    await harness.system.recurring.create(template())
    await harness.goTo('2026-04-10T10:00:00Z')
    expect(await harness.prompts()).toEqual([])
    // Three days without a worker; a customer of the last day was not there at nine.
    harness.clock.advance(72 * hour)
    await harness.tenantIn('UTC', 'New')
    await harness.goTo('2026-04-13T10:30:00Z')
    expect(await harness.prompts()).toEqual(['Old, 2026-04-13: sales'])
    await run(
      harness.app,
      `update runs set open = ?, status = 'completed'`,
      harness.app.db.dialect === 'sqlite' ? '0' : 'false',
    )
    await harness.goTo('2026-04-14T09:00:00Z')
    expect(await harness.prompts()).toEqual([
      'New, 2026-04-14: sales',
      'Old, 2026-04-13: sales',
      'Old, 2026-04-14: sales',
    ])
  })

  it.each<
    [string, (app: TestApp, id: string) => Promise<unknown>, (app: TestApp, id: string) => Promise<unknown>]
  >([
    [
      'its tenant is suspended',
      (app, id) => app.copydesk.asSystem().tenants.suspend(id, 'a test'),
      (app, id) => app.copydesk.asSystem().tenants.reinstate(id),
    ],
    [
      'its agent is paused',
      (app) => run(app, `update tenant_agents set status = 'paused'`),
      (app) => run(app, `update tenant_agents set status = 'active'`),
    ],
    [
      'its agent is not enabled',
      (app) => run(app, `update tenant_agents set status = 'terminated'`),
      (app) => run(app, `update tenant_agents set status = 'active'`),
    ],
  ])('are skipped while %s, and not caught up', async (_, stop, go) => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    const id = await harness.tenantIn('UTC', 'One')
    await harness.tenantIn('UTC', 'Two')
    await harness.system.recurring.create(template({ applyToTenants: 'specific', tenantIds: [id] }))
    await stop(harness.app, id)
    await harness.goTo('2026-04-13T08:00:00Z', 6 * hour)
    await go(harness.app, id)
    await harness.goTo('2026-04-13T08:59:00Z')
    expect(await harness.prompts()).toEqual([])
    await harness.goTo('2026-04-13T09:00:00Z')
    expect(await harness.prompts()).toEqual(['One, 2026-04-13: sales'])
  })

  it('that are paused, moved or archived are not caught up either; existing activities continue', async () => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    await harness.tenantIn('UTC', 'One')
    const { recurring } = harness.system
    const { id } = await recurring.create(template())
    await recurring.change(id, { status: 'paused' })
    await harness.goTo('2026-04-10T09:30:00Z')
    await recurring.change(id, { status: 'active' })
    await harness.goTo('2026-04-10T09:31:00Z')
    expect(await harness.count()).toBe(0)
    await recurring.change(id, { cron: '30 8 * * *' })
    await harness.goTo('2026-04-10T09:40:00Z')
    expect(await harness.count()).toBe(0)
    await harness.goTo('2026-04-11T08:30:00Z')
    expect(await harness.count()).toBe(1)
    await recurring.archive(id)
    await harness.goTo('2026-04-20T08:30:00Z')
    expect(await harness.count()).toBe(1)
    const [open] = await harness.app.db.sql.all('select status from runs')
    expect(open).toEqual({ status: 'pending' })
  })

  it('create nothing while the previous activity is still queued', async () => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    await harness.tenantIn('UTC', 'One')
    await harness.system.recurring.create(template({ cron: '* * * * *' }))
    await harness.goTo('2026-04-10T08:10:00Z', minute)
    expect(await harness.count()).toBe(1)
    await run(
      harness.app,
      `update runs set open = ?, status = 'completed'`,
      harness.app.db.dialect === 'sqlite' ? '0' : 'false',
    )
    await harness.goTo('2026-04-10T08:11:00Z')
    expect(await harness.count()).toBe(2)
  })

  it('apply to the tenants of some plans, by name or id', async () => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    const plans = await harness.app.db.sql.all<{ id: string; name: string }>('select id, name from plans')
    for (const plan of ['pro', 'agency', 'enterprise']) await harness.tenantIn('UTC', plan, plan)
    const idOf = (name: string) => plans.find((plan) => plan.name === name)?.id ?? ''
    await harness.system.recurring.create(
      template({ applyToTenants: 'plan_based', planIds: ['pro', idOf('agency')] }),
    )
    await harness.goTo('2026-04-10T09:00:00Z')
    expect(await harness.prompts()).toEqual(['agency, 2026-04-10: sales', 'pro, 2026-04-10: sales'])
  })

  it('apply to the tenants of one plan of an offering: those that are subscribed to it', async () => {
    await using harness = await createRecurringHarness('2026-04-10T08:00:00Z')
    const prices = await harness.system.plans.list()
    const priceOf = (region: string, cycle: string) =>
      prices.find((price) => price.plan === 'pro' && price.region === region && price.cycle === cycle)?.id ??
      ''
    const operator = await createOperator(harness.app)
    const customers = [
      ['monthly', priceOf('US', 'monthly')],
      ['annual', priceOf('US', 'annual')],
    ]
    for (const [name = '', planId] of customers) {
      const email = `${name}@test.example`
      const body = { displayName: name, firstName: 'A', lastName: 'B', email, password, planId }
      const { json } = await operator.send('POST', '/admin/v1/tenants', body)
      await operator.send('PATCH', `/admin/v1/tenants/${json.tenantId}`, { status: 'active' })
    }
    const made = await operator.send('POST', '/admin/v1/recurring-templates', {
      ...template(),
      applyToTenants: 'plan_based',
      planIds: [priceOf('US', 'annual'), priceOf('GB', 'annual')],
    })
    expect(made).toMatchObject({
      status: 201,
      json: { planIds: [priceOf('US', 'annual'), expect.any(String)] },
    })
    await harness.goTo('2026-04-10T09:00:00Z')
    expect(await harness.prompts()).toEqual(['annual, 2026-04-10: sales'])
  })

  it('are started by the worker automatically', async () => {
    const clock: TestClock = createTestClock(Date.parse('2026-04-10T08:59:00Z'))
    await using harness = await createTestApp({ clock, worker: { concurrency: 0 } })
    const system = harness.copydesk.asSystem()
    await system.tenants.create({ name: 'One' })
    await system.recurring.create(template())
    const made = await harness.until(async () => {
      clock.advance(5_000)
      return harness.db.sql.get('select status, wake_reason from activities')
    }, 'it is given out')
    expect(made).toEqual({ status: 'assigned', wake_reason: 'scheduled' })
  })
})
