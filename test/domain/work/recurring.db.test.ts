import type { CopydeskOptions } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { createRecurringRound } from '../../../packages/core/src/domain/work/recurring/fire.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'
import { parts } from '../agents.ts'

const minute = 60_000
const hour = 60 * minute

type New = Parameters<ReturnType<TestApp['copydesk']['asSystem']>['recurring']['create']>[0]

const template = (more: Partial<New> = {}): New => ({
  title: 'Report',
  agentRole: 'analyst',
  cron: '0 9 * * *',
  promptTemplate: '{{company}}, {{date}}: {{topic}}',
  variables: { topic: 'sales' },
  applyToTenants: 'all',
  ...more,
})

/** An instance whose jobs run and whose agents do not start, at a moment of the test's choice. */
async function createRecurringHarness(at: string, changes: Partial<CopydeskOptions> = {}) {
  const clock = createTestClock(Date.parse(at))
  const app = await createTestApp({ clock, worker: false, ...changes })
  const system = app.copydesk.asSystem()
  const inside = await parts(app)
  const round = createRecurringRound()
  return {
    app,
    clock,
    system,
    inside,
    tenantIn: (timezone: string, name = timezone, plan?: string) =>
      system.tenants.create({ name, timezone, ...(plan !== undefined && { plan }) }).then(({ id }) => id),
    /** Moves to an instant, looking round every `everyMs` on the way; at the end only when it is not given. */
    async goTo(instant: string, everyMs?: number) {
      const end = Date.parse(instant)
      while (everyMs !== undefined && clock.now() + everyMs < end) {
        clock.advance(everyMs)
        await round(inside.system())
      }
      clock.advance(end - clock.now())
      await round(inside.system())
    },
    /** The activities that were created: the day and tenant in the prompt. */
    prompts: async () => {
      const rows = await app.db.sql.all<{ input_prompt: string }>(
        'select input_prompt from activities order by input_prompt',
      )
      return rows.map((row) => row.input_prompt)
    },
    count: async () =>
      Number((await app.db.sql.get<{ n: number }>('select count(*) as n from activities'))?.n),
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

const run = (app: TestApp, sql: string, ...params: string[]) => app.db.write((tx) => tx.run(sql, params))

describe('recurring templates', () => {
  it('create an activity for each tenant at its local time of day, once, with the prompt filled in', async () => {
    await using room = await createRecurringHarness('2026-04-10T00:00:00Z')
    await room.tenantIn('Asia/Kolkata', 'East')
    await room.tenantIn('America/New_York', 'West')
    await room.system.recurring.create(template())
    await room.goTo('2026-04-10T03:29:59Z', hour)
    expect(await room.prompts()).toEqual([])
    await room.goTo('2026-04-10T03:30:00Z')
    expect(await room.prompts()).toEqual(['East, 2026-04-10: sales'])
    const [made] = await room.app.db.sql.all(
      'select title, type, agent_role, status, wake_reason from activities',
    )
    expect(made).toEqual({
      title: 'Report',
      type: 'report',
      agent_role: 'analyst',
      status: 'assigned',
      wake_reason: 'scheduled',
    })
    const at = room.clock.date()
    expect((await room.system.recurring.list()).data[0]).toMatchObject({
      lastRunAt: at,
      nextRunAt: new Date('2026-04-10T13:00:00Z'),
    })
    await room.goTo('2026-04-10T13:00:00Z', hour)
    expect(await room.prompts()).toEqual(['East, 2026-04-10: sales', 'West, 2026-04-10: sales'])
  })

  it('create an activity once, however many processes check concurrently', async () => {
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    for (const name of ['A', 'B', 'C']) await room.tenantIn('UTC', name)
    await room.system.recurring.create(template())
    room.clock.advance(hour)
    await using other = await parts(room.app)
    const rounds = Array.from(
      { length: 6 },
      (_, i) => [createRecurringRound(), i % 2 ? room.inside : other] as const,
    )
    await Promise.all(rounds.map(([round, process]) => round(process.system())))
    expect(await room.prompts()).toEqual(['A', 'B', 'C'].map((name) => `${name}, 2026-04-10: sales`))
  })

  it('catch up once after an outage, and not for times before their creation', async () => {
    await using room = await createRecurringHarness('2026-04-10T09:30:00Z')
    await room.tenantIn('UTC', 'Old')
    await room.system.recurring.create(template())
    await room.goTo('2026-04-10T10:00:00Z')
    expect(await room.prompts()).toEqual([])
    // Three days without a worker; a customer of the last day was not there at nine.
    room.clock.advance(72 * hour)
    await room.tenantIn('UTC', 'New')
    await room.goTo('2026-04-13T10:30:00Z')
    expect(await room.prompts()).toEqual(['Old, 2026-04-13: sales'])
    await run(
      room.app,
      `update runs set open = ?, status = 'completed'`,
      room.app.db.dialect === 'sqlite' ? '0' : 'false',
    )
    await room.goTo('2026-04-14T09:00:00Z')
    expect(await room.prompts()).toEqual([
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
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    const id = await room.tenantIn('UTC', 'One')
    await room.tenantIn('UTC', 'Two')
    await room.system.recurring.create(template({ applyToTenants: 'specific', tenantIds: [id] }))
    await stop(room.app, id)
    await room.goTo('2026-04-13T08:00:00Z', 6 * hour)
    await go(room.app, id)
    await room.goTo('2026-04-13T08:59:00Z')
    expect(await room.prompts()).toEqual([])
    await room.goTo('2026-04-13T09:00:00Z')
    expect(await room.prompts()).toEqual(['One, 2026-04-13: sales'])
  })

  it('that are paused, moved or archived are not caught up either; existing activities continue', async () => {
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    await room.tenantIn('UTC', 'One')
    const { recurring } = room.system
    const { id } = await recurring.create(template())
    await recurring.change(id, { status: 'paused' })
    await room.goTo('2026-04-10T09:30:00Z')
    await recurring.change(id, { status: 'active' })
    await room.goTo('2026-04-10T09:31:00Z')
    expect(await room.count()).toBe(0)
    await recurring.change(id, { cron: '30 8 * * *' })
    await room.goTo('2026-04-10T09:40:00Z')
    expect(await room.count()).toBe(0)
    await room.goTo('2026-04-11T08:30:00Z')
    expect(await room.count()).toBe(1)
    await recurring.archive(id)
    await room.goTo('2026-04-20T08:30:00Z')
    expect(await room.count()).toBe(1)
    const [open] = await room.app.db.sql.all('select status from runs')
    expect(open).toEqual({ status: 'pending' })
  })

  it('create nothing while the previous activity is still queued', async () => {
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    await room.tenantIn('UTC', 'One')
    await room.system.recurring.create(template({ cron: '* * * * *' }))
    await room.goTo('2026-04-10T08:10:00Z', minute)
    expect(await room.count()).toBe(1)
    await run(
      room.app,
      `update runs set open = ?, status = 'completed'`,
      room.app.db.dialect === 'sqlite' ? '0' : 'false',
    )
    await room.goTo('2026-04-10T08:11:00Z')
    expect(await room.count()).toBe(2)
  })

  it('apply to the tenants of some plans, by name or id', async () => {
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    const plans = await room.app.db.sql.all<{ id: string; name: string }>('select id, name from plans')
    for (const plan of ['pro', 'agency', 'enterprise']) await room.tenantIn('UTC', plan, plan)
    const idOf = (name: string) => plans.find((plan) => plan.name === name)?.id ?? ''
    await room.system.recurring.create(
      template({ applyToTenants: 'plan_based', planIds: ['pro', idOf('agency')] }),
    )
    await room.goTo('2026-04-10T09:00:00Z')
    expect(await room.prompts()).toEqual(['agency, 2026-04-10: sales', 'pro, 2026-04-10: sales'])
  })

  it('apply to the tenants of one plan of an offering: those that are subscribed to it', async () => {
    await using room = await createRecurringHarness('2026-04-10T08:00:00Z')
    const prices = await room.system.plans.list()
    const priceOf = (region: string, cycle: string) =>
      prices.find((price) => price.plan === 'pro' && price.region === region && price.cycle === cycle)?.id ??
      ''
    const operator = await createOperator(room.app)
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
    await room.goTo('2026-04-10T09:00:00Z')
    expect(await room.prompts()).toEqual(['annual, 2026-04-10: sales'])
  })

  it('are started by the worker automatically', async () => {
    const clock: TestClock = createTestClock(Date.parse('2026-04-10T08:59:00Z'))
    await using room = await createTestApp({ clock, worker: { concurrency: 0 } })
    const system = room.copydesk.asSystem()
    await system.tenants.create({ name: 'One' })
    await system.recurring.create(template())
    const made = await room.until(async () => {
      clock.advance(5_000)
      return room.db.sql.get('select status, wake_reason from activities')
    }, 'it is given out')
    expect(made).toEqual({ status: 'assigned', wake_reason: 'scheduled' })
  })
})

describe('recurring templates where the clocks change', () => {
  /** The instants at which it is given out, looked for every half hour. */
  async function instants(cron: string, from: string, to: string): Promise<string[]> {
    await using room = await createRecurringHarness(from)
    await room.tenantIn('Europe/Berlin', 'One')
    await room.system.recurring.create(template({ cron }))
    const found: string[] = []
    let known = 0
    while (room.clock.now() < Date.parse(to)) {
      await room.goTo(new Date(room.clock.now() + 30 * minute).toISOString())
      const open = room.app.db.dialect === 'sqlite' ? '0' : 'false'
      const count = await room.count()
      if (count > known) {
        found.push(room.clock.date().toISOString().slice(5, 16))
        await run(room.app, `update runs set open = ?, status = 'completed'`, open)
      }
      known = count
    }
    return found
  }

  it('forward: a time in the gap is due at its end, on that day only', async () => {
    expect(await instants('30 2 * * *', '2026-03-27T22:00:00Z', '2026-03-30T04:00:00Z')).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ])
  })

  it('back: a fixed time is due once, every hour is due each hour', async () => {
    expect(await instants('30 2 * * *', '2026-10-24T22:00:00Z', '2026-10-26T04:00:00Z')).toEqual([
      '10-25T00:30',
      '10-26T01:30',
    ])
    expect(await instants('0 * * * *', '2026-10-24T22:30:00Z', '2026-10-25T03:30:00Z')).toEqual([
      '10-24T23:00',
      '10-25T00:00',
      '10-25T01:00',
      '10-25T02:00',
      '10-25T03:00',
    ])
  })
})
