import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { type Answer, createOperator, type Operator } from '../../kit/operator.ts'

const path = '/admin/v1/activity-templates'
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const step = (stepNumber: number, more: object = {}) => ({
  stepNumber,
  title: `Step ${stepNumber}`,
  agentRole: 'researcher',
  type: 'research',
  ...more,
})

const newTemplate = (more: object = {}) => ({
  name: 'Three steps',
  deliverableType: 'blog_post',
  steps: [
    step(1),
    step(2, { dependsOn: [1], estimatedCostUsd: 0.25 }),
    step(3, {
      agentRole: 'blog_writer',
      type: 'draft',
      dependsOn: [1, 2],
      approvalRequired: true,
      approvalType: 'content_review',
    }),
  ],
  ...more,
})

async function createRecurringHarness() {
  const app = await createTestApp({ worker: false })
  return { app, operator: await createOperator(app) }
}

const defaultOf = async (operator: Operator, type = 'blog_post') => {
  const { json } = await operator.send('GET', `${path}?filter.deliverableType=${type}`)
  return json.data.find((one: { isDefault: boolean }) => one.isDefault) as { id: string; version: number }
}

async function expectRefused(app: TestApp, act: () => Promise<Answer>, wanted: Partial<Answer>) {
  const before = await contents(app, ['activity_templates', 'config_versions', 'audit_records'])
  expect(await act()).toMatchObject(wanted)
  expect(await contents(app, ['activity_templates', 'config_versions', 'audit_records'])).toEqual(before)
}

describe('admin.activity_templates.create', () => {
  it('adds a template with ordered steps; keeps the default', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const before = await defaultOf(operator)
    const given = newTemplate()
    const { status, json } = await operator.send('POST', path, { ...given, steps: given.steps.toReversed() })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      name: 'Three steps',
      deliverableType: 'blog_post',
      status: 'active',
      stepCount: 3,
      version: 1,
      isDefault: false,
      createdBy: 'Olga Operator',
    })
    expect(json.steps).toEqual([
      { ...step(1), approvalRequired: false },
      { ...step(2), approvalRequired: false, dependsOn: [1], estimatedCostUsd: 0.25 },
      given.steps[2],
    ])
    expect(await operator.send('GET', `${path}/${json.id}`)).toMatchObject({ status: 200, json })
    expect(await defaultOf(operator)).toEqual(before)
    const listed = await operator.send('GET', `${path}?filter.deliverableType=blog_post&filter.status=active`)
    expect(new Set(listed.json.data.map(({ id }: { id: string }) => id))).toEqual(
      new Set([before.id, json.id]),
    )
    expect(listed.json.data[0]).not.toHaveProperty('steps')
  })

  it('makes the template the default when requested', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { json } = await operator.send('POST', path, newTemplate({ setAsDefault: true }))
    expect(json.isDefault).toBe(true)
    expect((await defaultOf(operator)).id).toBe(json.id)
    expect((await defaultOf(operator, 'social_post')).id).not.toBe(json.id)
  })

  it.each<[string, object[], string]>([
    ['no steps', [], 'steps'],
    ['a number twice', [step(1), step(1)], 'steps.1.stepNumber'],
    ['a role that does not exist', [step(1, { agentRole: 'poet' })], 'steps.0.agentRole'],
    ['a step that does not exist', [step(1, { dependsOn: [2] })], 'steps.0.dependsOn'],
    ['a step that waits for itself', [step(1, { dependsOn: [1] })], 'steps.0.dependsOn'],
    [
      'steps that wait for each other',
      [step(1), step(2, { dependsOn: [4] }), step(3, { dependsOn: [2] }), step(4, { dependsOn: [3] })],
      'steps.1.dependsOn',
    ],
    [
      'an approval type without an approval',
      [step(1, { approvalType: 'content_review' })],
      'steps.0.approvalType',
    ],
    ['a type of step that there is not', [step(1, { type: 'poem' })], 'steps.0.type'],
  ])('refuses %s', async (_, steps, field) => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    await expectRefused(app, () => operator.send('POST', path, newTemplate({ steps })), {
      status: 400,
      code: 'VALIDATION_ERROR',
      field,
    })
  })
})

describe('admin.activity_templates.change', () => {
  it('keeps every change as a readable version', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { id } = await defaultOf(operator)
    const first = (await operator.send('GET', `${path}/${id}`)).json
    const second = await operator.send('PATCH', `${path}/${id}`, { steps: [step(1)] })
    expect(second).toMatchObject({ status: 200, json: { id, version: 2, stepCount: 1, name: first.name } })
    const third = await operator.send('PATCH', `${path}/${id}`, { name: 'Short' })
    expect(third.json).toMatchObject({ version: 3, name: 'Short', stepCount: 1 })
    const read = async (version: number) =>
      (await operator.send('GET', `${path}/${id}?version=${version}`)).json
    expect(await read(1)).toMatchObject({ version: 1, name: first.name, steps: first.steps })
    expect(await read(2)).toMatchObject({ version: 2, name: first.name, steps: second.json.steps })
    expect(await read(3)).toEqual((await operator.send('GET', `${path}/${id}`)).json)
    expect(await operator.send('GET', `${path}/${id}?version=4`)).toMatchObject({ status: 404 })
    // What changes nothing is no version.
    expect((await operator.send('PATCH', `${path}/${id}`, { name: 'Short' })).json.version).toBe(3)
  })

  it('creates a separate version for each of two concurrent changes', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { id } = await defaultOf(operator)
    const names = ['A', 'B', 'C', 'D']
    const answers = await Promise.all(names.map((name) => operator.send('PATCH', `${path}/${id}`, { name })))
    expect(new Set(answers.map(({ json }) => json.version))).toEqual(new Set([2, 3, 4, 5]))
    const kept = await Promise.all(
      [2, 3, 4, 5].map(
        async (version) => (await operator.send('GET', `${path}/${id}?version=${version}`)).json.name,
      ),
    )
    expect(new Set(kept)).toEqual(new Set(names))
  })

  it('rejects invalid changes, and keeps an active default for every type', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { id } = await defaultOf(operator)
    const refuse = (body: object, wanted: Partial<Answer>, to = id) =>
      expectRefused(app, () => operator.send('PATCH', `${path}/${to}`, body), wanted)
    await refuse({ status: 'archived' }, { status: 409, code: 'CONFLICT' })
    await refuse({ steps: [step(1, { dependsOn: [1] })] }, { status: 400, field: 'steps.0.dependsOn' })
    await refuse({ deliverableType: 'backlink' }, { status: 400 })
    await refuse({ name: 'Ours' }, { status: 404, code: 'NOT_FOUND' }, unknownId)
  })
})

describe('admin.activity_templates.set_default', () => {
  it('returns the previous default; two concurrent requests leave one default', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const before = await defaultOf(operator)
    const made = await Promise.all(
      ['One', 'Two'].map(
        async (name) => (await operator.send('POST', path, newTemplate({ name }))).json.id as string,
      ),
    )
    const set = (id: string) => operator.send('POST', `${path}/${id}/set-default`)
    const answers = await Promise.all(made.map(set))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const winner = (await defaultOf(operator)).id
    const [loser] = made.filter((id) => id !== winner)
    expect(new Set(answers.map(({ json }) => json.previousDefaultId))).toEqual(new Set([before.id, loser]))
    expect((await set(before.id)).json).toEqual({
      templateId: before.id,
      isDefault: true,
      previousDefaultId: winner,
    })
  })

  it('refuses a template that is not active, and one that does not exist', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { json } = await operator.send('POST', path, newTemplate())
    await operator.send('PATCH', `${path}/${json.id}`, { status: 'archived' })
    await expectRefused(app, () => operator.send('POST', `${path}/${json.id}/set-default`), {
      status: 422,
      code: 'UNPROCESSABLE',
    })
    await expectRefused(app, () => operator.send('POST', `${path}/${unknownId}/set-default`), { status: 404 })
  })
})

describe('admin.activity_templates.list', () => {
  it('lists the templates by type and state, without their steps', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const { id: usual } = await defaultOf(operator)
    const { id } = (await operator.send('POST', path, newTemplate())).json
    await operator.send('PATCH', `${path}/${id}`, { status: 'archived' })
    const list = async (query: string) => (await operator.send('GET', `${path}?${query}`)).json.data
    const ids = async (query: string) => new Set((await list(query)).map((one: { id: string }) => one.id))
    const posts = 'filter.deliverableType=blog_post'
    expect(await ids(posts)).toEqual(new Set([usual, id]))
    expect(await ids(`${posts}&filter.status=active`)).toEqual(new Set([usual]))
    expect(await ids(`${posts}&filter.status=archived`)).toEqual(new Set([id]))
    expect((await ids('filter.deliverableType=social_post')).has(usual)).toBe(false)
    const [item] = await list(`${posts}&filter.status=archived`)
    expect(item).toMatchObject({ name: 'Three steps', stepCount: 3, isDefault: false })
    expect(item).not.toHaveProperty('steps')
  })
})

describe('admin.activity_templates.get', () => {
  it('returns a template with its steps, in the current or an earlier version', async () => {
    const { app, operator } = await createRecurringHarness()
    await using _app = app
    const first = (await operator.send('POST', path, newTemplate())).json
    const second = (await operator.send('PATCH', `${path}/${first.id}`, { steps: [step(1)] })).json
    const get = (rest: string) => operator.send('GET', `${path}/${rest}`)
    expect((await get(first.id)).json).toEqual(second)
    const { version, steps, stepCount } = (await get(`${first.id}?version=1`)).json
    expect({ version, steps, stepCount }).toEqual({ version: 1, steps: first.steps, stepCount: 3 })
    for (const rest of [`${first.id}?version=3`, unknownId])
      expect(await get(rest)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
