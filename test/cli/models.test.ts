import { describe, expect, it } from 'vitest'
import { startCompatible } from '../kit/model-servers.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'

const secret = 'shelf-key-0123456789'

interface More {
  env?: Record<string, string>
  input?: string
}

async function json(args: string[], cwd: string, more: More = {}) {
  const ended = await cli([...args, '--json'], { cwd, ...more })
  expect(ended.code, ended.stderr).toBe(0)
  return JSON.parse(ended.stdout)
}

describe('copydesk provider', () => {
  it('adds, checks, changes and removes providers, and never shows the key', async () => {
    await using server = await startCompatible([], { apiKey: secret, models: ['shelf-1', 'shelf-2'] })
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const env = { COPYDESK_ALLOW_HOSTS: '127.0.0.1' }
    const add = ['provider', 'add', '--name', 'Shelf', '--type', 'custom', '--base-url', server.url]
    const added = await json([...add, '--model', 'shelf-1', '--plan', 'pro', '--key-stdin'], cwd, {
      env,
      input: `${secret}\n`,
    })
    expect(added).toMatchObject({
      name: 'Shelf',
      status: 'healthy',
      hasApiKey: true,
      models: [{ id: 'shelf-1', availableOnPlans: ['pro'] }],
    })
    const twice = await cli([...add, '--model', 'x'], { cwd, env })
    expect(twice).toMatchObject({ code: 1, stderr: 'error: There is a provider Shelf already\n' })
    expect(
      (await cli(['provider', 'add', '--name', 'X', '--type', 'local', '--model', 'x'], { cwd })).code,
    ).toBe(2)

    const set = ['provider', 'set', 'shelf', '--model', 'shelf-1', 'shelf-2']
    const changed = await json(set, cwd, { env: { ...env, COPYDESK_PROVIDER_API_KEY: 'another' } })
    expect(changed).toMatchObject({
      status: 'degraded',
      models: [
        { id: 'shelf-1', availableOnPlans: ['pro'] },
        { id: 'shelf-2', availableOnPlans: ['free', 'starter', 'pro', 'agency', 'enterprise'] },
      ],
    })
    const checked = await cli(['provider', 'check'], { cwd, env })
    expect(checked.code).toBe(1)
    expect(checked.stderr).toContain('Shelf: Provider Shelf refused the credentials')

    const listed = await cli(['provider', 'list'], { cwd })
    expect(listed.stdout).toMatch(/Shelf\tcustom\tdegraded\tshelf-1, shelf/)
    expect(listed.stdout + listed.stderr + checked.stdout).not.toContain(secret)
    expect((await cli(['provider', 'remove', 'Shelf'], { cwd })).code).toBe(2)
    expect(await json(['provider', 'remove', 'Shelf', '--yes'], cwd)).toMatchObject({ name: 'Shelf' })
    expect(await json(['provider', 'list'], cwd)).toEqual([])
    expect(await cli(['provider', 'remove', 'Shelf', '--yes'], { cwd })).toMatchObject({ code: 1 })
  })
})

describe('copydesk model', () => {
  it('lists available models and sets prices, which override those of the configuration', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const env = {
      COPYDESK_LOCAL_BASE_URL: 'http://127.0.0.1:9/v1',
      COPYDESK_LOCAL_MODELS: 'llama3,phi',
      COPYDESK_MODELS_PRICES: 'phi=0.05/0.2',
      COPYDESK_MODELS_FALLBACK: 'phi',
    }
    expect(await json(['model', 'list'], cwd, { env })).toEqual([
      { model: 'builtin-writer', providers: ['builtin'], price: { input: 0, output: 0 }, source: 'built-in' },
      { model: 'llama3', providers: ['local'], price: null, source: null },
      { model: 'phi', providers: ['local'], price: { input: 0.05, output: 0.2 }, source: 'configuration' },
    ])
    const price = ['model', 'price', 'phi', '--input', '0.000001', '--output', '1']
    expect(await json(price, cwd, { env })).toMatchObject({
      price: { input: 0.000001, output: 1 },
      source: 'operator',
    })
    expect(await json(['model', 'price', 'phi', '--clear'], cwd, { env })).toMatchObject({
      source: 'configuration',
    })
    for (const wrong of [
      ['--input', '1'],
      ['--input', '-1', '--output', '1'],
      ['--input', '0.1234567', '--output', '1'],
      [],
    ])
      expect((await cli(['model', 'price', 'phi', ...wrong], { cwd, env })).code, wrong.join(' ')).toBe(2)
    const odd = await cli(['model', 'list'], { cwd, env: { COPYDESK_MODELS_PRICES: 'phi' } })
    expect(odd).toMatchObject({ code: 2 })
    expect(odd.stderr).toContain('models.prices')
  })
})

describe('copydesk runs', () => {
  it('lists nothing without runs, and reports unknown ids', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    expect(await json(['runs', 'list', '--status', 'failed'], cwd)).toEqual([])
    expect(await cli(['runs', 'show', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'error: There is no run with this id\n',
    })
    expect((await cli(['runs', 'list', '--status', 'lost'], { cwd })).code).toBe(2)
  })
})
