import { describe, expect, it } from 'vitest'
import { startReranker } from '../kit/rerank-server.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

const named = { COPYDESK_RERANK_PROVIDER: 'custom', COPYDESK_RERANK_MODEL: 'm' }

describe('the settings of reranking', () => {
  it('come from the environment, and the key is not shown', async () => {
    using folder = temporaryFolder()
    const env = {
      ...named,
      COPYDESK_RERANK_BASE_URL: 'https://rank.example/v1',
      COPYDESK_RERANK_API_KEY: 'the-rerank-key',
    }
    const { of, settings } = await show(folder.path, env)
    expect(of('rerank.model')).toMatchObject({
      value: 'm',
      source: 'environment variable COPYDESK_RERANK_MODEL',
    })
    expect(of('rerank.apiKey')).toMatchObject({ value: '***' })
    expect(JSON.stringify(settings)).not.toContain('the-rerank-key')
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'an unknown provider',
      { ...named, COPYDESK_RERANK_PROVIDER: 'hosted_b' },
      'rerank.provider: must be one of local, custom (environment variable COPYDESK_RERANK_PROVIDER)',
    ],
    ['no model', { COPYDESK_RERANK_PROVIDER: 'local' }, 'rerank.model: is missing'],
    ['no address', named, 'rerank.baseUrl: is missing, and so is providers.custom'],
    [
      'an address that is none',
      { ...named, COPYDESK_RERANK_BASE_URL: 'jina' },
      'rerank.baseUrl: must be a URL that starts with',
    ],
  ])('are rejected by name: %s', async (_, env, message) => {
    using folder = temporaryFolder()
    const { code, stderr } = await cli(['config', 'show'], { cwd: folder.path, env })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('copydesk doctor', () => {
  it('says which rerank model is configured and whether it answers', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const finding = async (env: Record<string, string> = {}) => {
      const { stdout } = await cli(['doctor', '--json'], { cwd: folder.path, env })
      const { findings } = JSON.parse(stdout) as { findings: Array<{ name: string }> }
      return findings.find(({ name }) => name === 'rerank')
    }
    expect(await finding()).toEqual({
      name: 'rerank',
      ok: true,
      message: 'none configured: results stay in the order of search',
    })
    await using server = await startReranker(() => [0.5], 'k')
    // The key and the address of the model provider of the same name, in a network that is otherwise refused.
    const custom = {
      ...named,
      COPYDESK_CUSTOM_BASE_URL: server.url,
      COPYDESK_CUSTOM_API_KEY: 'k',
      COPYDESK_CUSTOM_MODELS: 'writer',
    }
    expect(await finding(custom)).toMatchObject({ ok: true, message: 'm (custom) answers with scores' })
    expect(await finding({ ...custom, COPYDESK_RERANK_API_KEY: 'other' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('answered 401'),
      remedy: expect.stringContaining('in the order of search'),
    })
    // A key that was configured for another server is not sent.
    const elsewhere = { ...custom, COPYDESK_CUSTOM_BASE_URL: 'https://models.example/v1' }
    expect(await finding({ ...elsewhere, COPYDESK_RERANK_BASE_URL: server.url })).toMatchObject({ ok: false })
  })
})
