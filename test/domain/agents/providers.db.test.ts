import { describe, expect, it } from 'vitest'
import { encryptionKeys } from '../../kit/app.ts'
import { createLoop, otherModel } from '../../kit/loop.ts'
import { startCompatible } from '../../kit/model-servers.ts'
import { createOperator } from '../../kit/operator.ts'
import { pricedModel } from '../../kit/runtime.ts'

const path = '/admin/v1/llm-providers'
const secret = 'shelf-key-0123456789'
const shelf = (baseUrl: string, more: object = {}) => ({
  name: 'Shelf',
  type: 'custom',
  apiKey: secret,
  baseUrl,
  models: [{ id: 'shelf-1', name: 'S', availableOnPlans: ['pro', 'agency'] }],
  ...more,
})

describe('what a provider offers on some plans only', () => {
  it('is rejected for other tenants when a run begins, and is not used as their fallback', async () => {
    await using server = await startCompatible(() => ({ text: ['A post'] }), { models: ['shelf-1'] })
    await using loop = await createLoop({
      first: () => ({ status: 503 }),
      second: () => ({ text: ['By the second'] }),
      fallback: ['shelf-1', otherModel],
    })
    const operator = await createOperator(loop.app)
    const agencyOnly = [{ id: 'shelf-1', name: 'S', availableOnPlans: ['agency'] }]
    await operator.send('POST', path, shelf(server.url, { models: agencyOnly }))
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'completed', model: otherModel })
    await loop.configure({ model: 'shelf-1' })
    const [, refusedRun] = await loop.write(2)
    expect(refusedRun).toMatchObject({
      status: 'failed',
      family: 'invalid',
      error: 'The model shelf-1 is not available on the plan pro',
    })
    await loop.app.db.write((tx) => tx.run(`update tenants set plan = 'agency'`))
    expect((await loop.write(3))[2]).toMatchObject({ status: 'completed', model: 'shelf-1' })
  })
})

describe('the health of a provider', () => {
  it('follows the outcome of its calls, with the rate limits from its responses', async () => {
    const limits = { 'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-tokens-limit': '40000' }
    await using loop = await createLoop({ first: [{ text: ['A post'], headers: limits }, { status: 401 }] })
    const operator = await createOperator(loop.app)
    const one = async () => (await operator.send('GET', path)).json.data[0]
    expect(await one()).toMatchObject({ id: 'one', status: 'degraded', lastCheckedAt: null })
    await loop.write(1)
    expect(await one()).toMatchObject({ status: 'healthy', rateLimitRpm: 50, rateLimitTpm: 40_000 })
    await loop.write(2)
    expect(await one()).toMatchObject({ status: 'degraded', rateLimitRpm: 50, monthlyCallCount: 2 })
    const { providers } = loop.app.copydesk.asSystem()
    expect(await providers.check('one')).toMatchObject({ status: 'healthy', lastCheckedAt: expect.any(Date) })
    expect((await one()).monthlySpendUsd).toBeGreaterThan(0)
  })
})

describe('the key of a provider', () => {
  it('is re-encrypted when the encryption key is rotated', async () => {
    await using server = await startCompatible([], { apiKey: secret, models: ['shelf-1'] })
    await using loop = await createLoop()
    const operator = await createOperator(loop.app)
    const { json } = await operator.send('POST', path, shelf(server.url))
    const { keys, asSystem } = loop.app.copydesk
    const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }
    const { signingKeys } = loop.app.options
    keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    await keys.reencrypt()
    keys.replace({ encryptionKeys: [newer], signingKeys })
    expect(await asSystem().providers.check(json.id)).toMatchObject({ status: 'healthy' })
    const row = await loop.app.db.sql.get<{ api_key_sealed: string }>(
      'select api_key_sealed from llm_providers',
    )
    expect(row?.api_key_sealed).toMatch(/^v1\.k2\./)
  })
})

describe('prices that operators set', () => {
  it('take precedence over those of the configuration, which precede the built-in ones', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 }
    await using loop = await createLoop({
      first: () => ({ text: ['A post'], usage }),
      changes: { models: { prices: [{ model: pricedModel, input: 2.5, output: 0 }] } },
    })
    const { models: api } = loop.app.copydesk.asSystem()
    expect((await loop.write(1))[0]).toMatchObject({ costMicros: 2_500_000 })
    expect(await api.setPrice(pricedModel, { input: 0.000001, output: 0 })).toMatchObject({
      source: 'operator',
    })
    expect((await loop.write(2))[1]).toMatchObject({ costMicros: 1 })
    expect(await api.clearPrice(pricedModel)).toMatchObject({
      source: 'configuration',
      price: { input: 2.5 },
    })
    await expect(api.setPrice(pricedModel, { input: -1, output: 0 })).rejects.toMatchObject({
      field: 'input',
    })
    await expect(api.clearPrice(pricedModel)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await api.list()).toContainEqual({
      model: otherModel,
      providers: ['two'],
      price: { input: 0.2, output: 1.2 },
      source: 'built-in',
    })
  })
})
