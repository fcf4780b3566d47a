import { describe, expect, it } from 'vitest'
import type { TestApp } from '../../kit/app.ts'
import { createLoop, type Loop } from '../../kit/loop.ts'
import { startCompatible } from '../../kit/model-servers.ts'
import { createOperator, expectRefused, type Operator } from '../../kit/operator.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const secret = 'shelf-key-0123456789'
const models = (...ids: string[]) =>
  ids.map((id) => ({ id, name: `The ${id}`, availableOnPlans: ['pro', 'agency'] }))
const shelf = (baseUrl: string, more: object = {}) => ({
  name: 'Shelf',
  type: 'custom',
  apiKey: secret,
  baseUrl,
  models: models('shelf-1'),
  ...more,
})
const path = '/admin/v1/llm-providers'

/** What an operator's act could leave behind, with the rows of providers. */
async function expectNothing(app: TestApp, act: () => ReturnType<Operator['send']>, wanted: object) {
  const rows = () => app.db.sql.all('select * from llm_providers order by id')
  // A check that is under way would change rows of its own.
  await app.until(
    async () =>
      !(await app.db.sql.get(`select id from job where kind = 'provider.check' and status <> 'done'`)),
    'all checks are done',
  )
  const before = await rows()
  await expectRefused(app, act, wanted)
  expect(await rows()).toEqual(before)
}

/** Until the job after a change has asked the provider. */
const shown = (loop: Loop, operator: Operator, id: string, wanted: object) =>
  loop.app.until(
    async () => {
      const { json } = await operator.send('GET', path)
      const item = json.data.find((one: { id: string }) => one.id === id)
      const same = Object.entries(wanted).every(([key, value]) => item?.[key] === value)
      return item?.lastCheckedAt !== null && same && item
    },
    `the provider is ${JSON.stringify(wanted)}`,
  )

describe('admin.llm_providers.list', () => {
  it('lists providers, those of the configuration first, with their models and without keys', async () => {
    await using server = await startCompatible([], { apiKey: secret, models: ['shelf-1'] })
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { id } = (await operator.send('POST', path, shelf(server.url))).json
    const item = await shown(loop, operator, id, { status: 'healthy' })
    const { status, json, text } = await operator.send('GET', path)
    expect(status).toBe(200)
    expect(json.data).toMatchObject([
      { name: 'one', source: 'configuration', enabled: true },
      { name: 'two', source: 'configuration', enabled: true },
      {
        id,
        name: 'Shelf',
        source: 'database',
        hasApiKey: true,
        models: [{ id: 'shelf-1', available: true }],
      },
    ])
    expect(json.data[2]).toEqual(item)
    expect(text).not.toContain(secret)
    const { reviewerToken } = await loop.app.team()
    expect(await operator.send('GET', path, undefined, reviewerToken)).toMatchObject({ status: 403 })
  })
})

describe('admin.llm_providers.create', () => {
  it('offers the models at once, returns the result of the check, and never the key', async () => {
    await using server = await startCompatible([{ text: ['A post'] }], {
      apiKey: secret,
      models: ['shelf-1'],
    })
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { status, json, text } = await operator.send('POST', path, shelf(server.url))
    expect(status).toBe(201)
    expect(json).toMatchObject({
      name: 'Shelf',
      type: 'custom',
      enabled: true,
      source: 'database',
      hasApiKey: true,
      models: [{ id: 'shelf-1', name: 'The shelf-1', available: true, availableOnPlans: ['pro', 'agency'] }],
      monthlyCallCount: 0,
      monthlySpendUsd: 0,
    })
    const item = await shown(loop, operator, json.id, { status: 'healthy' })
    expect(item.statusMessage).toBeNull()
    await loop.configure({ model: 'shelf-1' })
    expect(await loop.write()).toMatchObject([{ status: 'completed', model: 'shelf-1', priced: false }])
    const list = await operator.send('GET', path)
    expect(list.json.data.map(({ name, source }: never) => [name, source])).toEqual([
      ['one', 'configuration'],
      ['two', 'configuration'],
      ['Shelf', 'database'],
    ])
    expect(list.json.data.at(-1).monthlyCallCount).toBe(1)
    const tables = ['llm_providers', 'llm_provider_states', 'audit_records', 'event', 'job', 'llm_calls']
    const rows = await Promise.all(tables.map((table) => loop.app.db.sql.all(`select * from ${table}`)))
    for (const out of [text, list.text, JSON.stringify(rows)]) expect(out).not.toContain(secret)
  })

  it.each([
    ['no base URL', { baseUrl: undefined }, 'baseUrl'],
    ['a base URL with a password', { baseUrl: 'http://u:p@example.com' }, 'baseUrl'],
    ['no models', { models: [] }, 'models'],
    ['a model twice', { models: models('a', 'a') }, 'models'],
    [
      'an unknown plan',
      { models: [{ id: 'a', name: 'A', availableOnPlans: ['gold'] }] },
      'models.0.availableOnPlans.0',
    ],
    ['an unknown type', { type: 'hosted_c' }, 'type'],
  ])('refuses %s', async (_, change, field) => {
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const act = () => operator.send('POST', path, shelf('http://example.com/v1', change))
    await expectNothing(loop.app, act, { status: 400, code: 'VALIDATION_ERROR', field })
  })

  it('rejects a name that is taken, also by a concurrent request', async () => {
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const act = () => operator.send('POST', path, shelf('http://127.0.0.1:9/v1'))
    const answers = await Promise.all([act(), act(), act()])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'CONFLICT')).toHaveLength(2)
    expect(await loop.count('select count(*) as n from llm_providers')).toBe(1)
  })
})

describe('admin.llm_providers.change', () => {
  it('takes effect on every server, and enables and disables the provider', async () => {
    await using first = await startCompatible(() => ({ text: ['A post'] }), {
      models: ['shelf-1', 'shelf-2'],
    })
    await using loop = await createLoop({ changes: { worker: false } })
    const other = await loop.app.another({ worker: { concurrency: 4 } })
    expect(other.version).toBeTruthy()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf(first.url))
    const one = `${path}/${json.id}`
    const changed = await operator.send('PATCH', one, { models: models('shelf-2') })
    expect(changed).toMatchObject({ status: 200, json: { models: [{ id: 'shelf-2' }] } })
    await loop.configure({ model: 'shelf-2' })
    await shown(loop, operator, json.id, { status: 'healthy' })
    // The runs are executed by the other server, which gets an event.
    await loop.app.until(async () => {
      const [last] = (await loop.write()).slice(-1)
      return last?.status === 'completed' && last.model === 'shelf-2'
    }, 'the other server has heard of the model')

    const off = await operator.send('PATCH', one, { status: 'disabled' })
    expect(off.json).toMatchObject({ enabled: false, models: [{ available: false }] })
    await loop.app.until(async () => {
      const [last] = (await loop.write()).slice(-1)
      return last?.status === 'failed' && last
    }, 'the other server has heard of it')
    expect((await operator.send('PATCH', one, { status: 'active' })).json.enabled).toBe(true)
  })

  it('sends the key only to the host that it was saved for', async () => {
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf('http://127.0.0.1:9/v1'))
    const one = `${path}/${json.id}`
    const moved = () => operator.send('PATCH', one, { baseUrl: 'http://127.0.0.2:9/v1' })
    await expectNothing(loop.app, moved, { status: 400, code: 'VALIDATION_ERROR', field: 'apiKey' })
    expect((await operator.send('PATCH', one, { baseUrl: 'http://127.0.0.1:9/v2' })).status).toBe(200)
    const both = { baseUrl: 'http://127.0.0.2:9/v1', apiKey: 'another' }
    expect((await operator.send('PATCH', one, both)).status).toBe(200)
    await expectNothing(loop.app, () => operator.send('PATCH', `${path}/${unknownId}`, {}), { status: 404 })
  })

  it('reports a wrong key and a provider that does not respond', async () => {
    await using server = await startCompatible([], { apiKey: 'the right one' })
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf(server.url))
    const wrong = await shown(loop, operator, json.id, { status: 'degraded' })
    expect(wrong.statusMessage).toContain('API key')
    await operator.send('PATCH', `${path}/${json.id}`, { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'x' })
    const gone = await shown(loop, operator, json.id, { status: 'unreachable' })
    expect(gone.models[0].available).toBe(false)
  })

  it('calls hosts in private networks only when the configuration allows it', async () => {
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf('http://10.0.0.1/v1'))
    const item = await shown(loop, operator, json.id, { status: 'unreachable' })
    expect(item.statusMessage).toContain('not a public address')
  })
})

describe('admin.llm_providers.remove', () => {
  it('makes agents that use its models fail with that reason on their next run', async () => {
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf('http://127.0.0.1:9/v1'))
    await loop.configure({ model: 'shelf-1' })
    expect(await operator.send('DELETE', `${path}/${json.id}`)).toMatchObject({ status: 204 })
    const [run] = await loop.write()
    expect(run).toMatchObject({
      status: 'failed',
      family: 'invalid',
      error: 'No provider serves the model shelf-1',
      costMicros: 0,
    })
    const agent = await loop.app.db.sql.get(`select * from tenant_agents where role = 'social_writer'`)
    expect(agent).toMatchObject({
      status: 'error',
      last_error_message: 'No provider serves the model shelf-1',
    })
    expect((await operator.send('GET', path)).json.data).toHaveLength(2)
    await expectNothing(loop.app, () => operator.send('DELETE', `${path}/${json.id}`), { status: 404 })
    await expectNothing(loop.app, () => operator.send('DELETE', `${path}/one`), { status: 404 })
  })
})
