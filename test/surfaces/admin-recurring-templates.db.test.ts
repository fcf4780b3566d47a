import { describe, expect, it } from 'vitest'
import { contents } from '../domain/contents.ts'
import { createTestApp, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { type Answer, createOperator } from '../kit/operator.ts'

const path = '/admin/v1/recurring-templates'
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const weekly = (more: object = {}) => ({
  title: 'Weekly report',
  agentRole: 'analyst',
  cron: '0 9 * * 1',
  promptTemplate: 'Report to {{company}} on {{topic}}, {{date}}',
  variables: { topic: 'sales' },
  applyToTenants: 'all',
  ...more,
})

/** A Friday. */
const friday = Date.UTC(2026, 3, 10, 9, 0, 0)

async function createRoom() {
  const clock = createTestClock(friday)
  const app = await createTestApp({ worker: false, clock })
  return { app, clock, operator: await createOperator(app) }
}

async function expectRefused(app: TestApp, act: () => Promise<Answer>, wanted: Partial<Answer>) {
  const before = await contents(app, ['recurring_templates', 'audit_records'])
  expect(await act()).toMatchObject(wanted)
  expect(await contents(app, ['recurring_templates', 'audit_records'])).toEqual(before)
}

describe('admin.recurring_templates.create', () => {
  it('says when it is due next: first where the day begins first', async () => {
    const { app, operator, clock } = await createRoom()
    await using _app = app
    const { tenants } = app.copydesk.asSystem()
    expect((await operator.send('POST', path, weekly())).json.nextRunAt).toBeNull()
    await tenants.create({ name: 'Berlin', timezone: 'Europe/Berlin' })
    await tenants.create({ name: 'Kolkata', timezone: 'Asia/Kolkata' })
    const { status, json } = await operator.send('POST', path, weekly())
    const at = clock.date().toISOString()
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.any(String),
      ...weekly(),
      status: 'active',
      lastRunAt: null,
      nextRunAt: '2026-04-13T03:30:00.000Z',
      createdOn: at,
      updatedOn: at,
    })
    const kolkata = (await tenants.list({ search: 'Kolkata' })).data[0]?.id ?? ''
    const berlin = (await tenants.list({ search: 'Berlin' })).data[0]?.id ?? ''
    const one = await operator.send('POST', path, weekly({ applyToTenants: 'specific', tenantIds: [berlin] }))
    expect(one.json).toMatchObject({ tenantIds: [berlin], nextRunAt: '2026-04-13T07:00:00.000Z' })
    await tenants.suspend(kolkata, 'a test')
    const listed = await operator.send('GET', path)
    expect(listed.json.data.map(({ nextRunAt }: { nextRunAt: string }) => nextRunAt)).toEqual([
      '2026-04-13T07:00:00.000Z',
      '2026-04-13T07:00:00.000Z',
      '2026-04-13T07:00:00.000Z',
    ])
  })

  it.each<[string, object, string]>([
    ['words', { cron: 'every day' }, 'cron'],
    ['a minute that there is not', { cron: '61 * * * *' }, 'cron'],
    ['seconds: more than once a minute', { cron: '*/10 * * * * *' }, 'cron'],
    ['a day that never comes', { cron: '0 9 30 2 *' }, 'cron'],
    ['nothing', { cron: ' ' }, 'cron'],
    ['a role that does not exist', { agentRole: 'poet' }, 'agentRole'],
    ['a placeholder that nothing fills', { promptTemplate: 'On {{topc}}' }, 'promptTemplate'],
    ['no tenants', { applyToTenants: 'specific' }, 'tenantIds'],
    ['no plans', { applyToTenants: 'plan_based' }, 'planIds'],
    ['a plan that does not exist', { applyToTenants: 'plan_based', planIds: ['pro', 'gold'] }, 'planIds'],
  ])('refuses %s', async (_, more, field) => {
    const { app, operator } = await createRoom()
    await using _app = app
    await expectRefused(app, () => operator.send('POST', path, weekly(more)), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field,
    })
  })

  it('refuses a tenant that does not exist', async () => {
    const { app, operator } = await createRoom()
    await using _app = app
    await expectRefused(
      app,
      () => operator.send('POST', path, weekly({ applyToTenants: 'specific', tenantIds: [unknownId] })),
      { status: 404, code: 'NOT_FOUND', field: 'tenantIds' },
    )
  })
})

describe('admin.recurring_templates.change', () => {
  it('changes, pauses and resumes; what is archived is over', async () => {
    const { app, operator } = await createRoom()
    await using _app = app
    await app.team()
    const { id } = (await operator.send('POST', path, weekly())).json
    const change = (body: object) => operator.send('PATCH', `${path}/${id}`, body)
    expect((await change({ cron: '@daily' })).json).toMatchObject({
      cron: '@daily',
      title: 'Weekly report',
      nextRunAt: '2026-04-10T23:00:00.000Z',
    })
    expect((await change({ status: 'paused' })).json).toMatchObject({ status: 'paused', nextRunAt: null })
    expect((await change({ status: 'active' })).json).toMatchObject({ nextRunAt: '2026-04-10T23:00:00.000Z' })
    for (const body of [
      { cron: '* *' },
      { variables: {} },
      { applyToTenants: 'specific' },
      { status: 'archived' },
    ])
      await expectRefused(app, () => change(body), { status: 400, code: 'VALIDATION_ERROR' })
    expect((await operator.send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await operator.send('DELETE', `${path}/${id}`)).status).toBe(204)
    await expectRefused(app, () => change({ title: 'Again' }), { status: 409, code: 'CONFLICT' })
    const listed = (await operator.send('GET', `${path}?filter.status=archived`)).json.data
    expect(listed).toMatchObject([{ id, status: 'archived', nextRunAt: null }])
    expect((await operator.send('GET', `${path}?filter.status=active`)).json.data).toEqual([])
    for (const method of ['PATCH', 'DELETE']) {
      const act = () =>
        operator.send(method, `${path}/${unknownId}`, method === 'PATCH' ? { title: 'X' } : undefined)
      await expectRefused(app, act, { status: 404 })
    }
  })
})
