import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type Answer, createOperator } from '../../kit/operator.ts'

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

async function createRecurringHarness() {
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
  it('returns the next due date: the first in time zones where the day begins first', async () => {
    const { app, operator, clock } = await createRecurringHarness()
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
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    await expectRefused(app, () => operator.send('POST', path, weekly(more)), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field,
    })
  })

  it('refuses a tenant that does not exist', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    await expectRefused(
      app,
      () => operator.send('POST', path, weekly({ applyToTenants: 'specific', tenantIds: [unknownId] })),
      { status: 404, code: 'NOT_FOUND', field: 'tenantIds' },
    )
  })
})

describe('admin.recurring_templates.change', () => {
  it('changes, pauses and resumes, and rejects invalid changes', async () => {
    const { app, operator } = await createRecurringHarness()
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
    const unknown = () => operator.send('PATCH', `${path}/${unknownId}`, { title: 'X' })
    await expectRefused(app, unknown, { status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.recurring_templates.archive', () => {
  it('archives for good; a repetition has no effect', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    await app.team()
    const { id } = (await operator.send('POST', path, weekly())).json
    const archive = (templateId = id) => operator.send('DELETE', `${path}/${templateId}`)
    expect(await archive()).toMatchObject({ status: 204, text: '' })
    const listed = (await operator.send('GET', `${path}?filter.status=archived`)).json.data
    expect(listed).toMatchObject([{ id, status: 'archived', nextRunAt: null }])
    const before = await contents(app, ['recurring_templates'])
    expect((await archive()).status).toBe(204)
    expect(await contents(app, ['recurring_templates'])).toEqual(before)
    const change = () => operator.send('PATCH', `${path}/${id}`, { title: 'Again' })
    await expectRefused(app, change, { status: 409, code: 'CONFLICT' })
    await expectRefused(app, () => archive(unknownId), { status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.recurring_templates.list', () => {
  it('lists templates, newest first, by state and page', async () => {
    const { app, clock, operator } = await createRecurringHarness()
    await using _app = app
    await app.team()
    const ids: string[] = []
    for (const title of ['One', 'Two', 'Three']) {
      clock.advance(1)
      ids.unshift((await operator.send('POST', path, weekly({ title }))).json.id)
    }
    await operator.send('PATCH', `${path}/${ids[1]}`, { status: 'paused' })
    const list = async (query = '') => (await operator.send('GET', `${path}?${query}`)).json
    const idsOf = async (query = '') => (await list(query)).data.map((one: { id: string }) => one.id)
    expect(await idsOf()).toEqual(ids)
    expect(await idsOf('order=asc')).toEqual(ids.toReversed())
    expect(await idsOf('filter.status=paused')).toEqual([ids[1]])
    expect(await idsOf('filter.status=archived')).toEqual([])
    const page = await list('limit=2')
    expect(await idsOf(`limit=2&cursor=${page.pagination.nextCursor}`)).toEqual([ids[2]])
  })
})
