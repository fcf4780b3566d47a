import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundled } from '../kit/bundled.ts'
import { startEmbeddings } from '../kit/embedding-server.ts'
import { f32, safetensors, wordPiece } from '../platform/embeddings/static-files.ts'
import { cli, setUpIn, start, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

const named = { COPYDESK_EMBEDDINGS_PROVIDER: 'custom', COPYDESK_EMBEDDINGS_MODEL: 'm' }

/** What makes Node find everything but one package. */
const withoutSqliteVec = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (name === 'sqlite-vec') throw Object.assign(new Error('It is not there'), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(name, context)
  },
})`)}`

describe('the settings of embeddings', () => {
  it('come from the file and the environment, and the key is not shown', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'copydesk.json')
    writeFileSync(
      file,
      JSON.stringify({ embeddings: { provider: 'hosted_b', model: 'small', dimensions: 512 } }),
    )
    const env = {
      COPYDESK_CONFIG: file,
      COPYDESK_EMBEDDINGS_MODEL: 'large',
      COPYDESK_EMBEDDINGS_API_KEY: 'the-embeddings-key',
    }
    const { of, settings } = await show(folder.path, env)
    expect(of('embeddings.provider')).toMatchObject({ value: 'hosted_b', source: `file ${file}` })
    expect(of('embeddings.model')).toMatchObject({
      value: 'large',
      source: 'environment variable COPYDESK_EMBEDDINGS_MODEL',
    })
    expect(of('embeddings.dimensions')).toMatchObject({ value: 512 })
    expect(of('embeddings.apiKey')).toMatchObject({ value: '***' })
    expect(JSON.stringify(settings)).not.toContain('the-embeddings-key')
    expect((await show(folder.path)).of('embeddings.provider')).toMatchObject({ source: 'not set' })
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'an unknown provider',
      { ...named, COPYDESK_EMBEDDINGS_PROVIDER: 'hosted_a' },
      'embeddings.provider: must be one of hosted_b, local, custom, static (environment variable COPYDESK_EMBEDDINGS_PROVIDER)',
    ],
    ['no provider', { COPYDESK_EMBEDDINGS_MODEL: 'm' }, 'embeddings.provider: must be one of'],
    ['no model', { COPYDESK_EMBEDDINGS_PROVIDER: 'static' }, 'embeddings.model: is missing'],
    [
      'dimensions that are no number',
      { ...named, COPYDESK_EMBEDDINGS_DIMENSIONS: '1.5k' },
      'embeddings.dimensions: must be a whole number',
    ],
    [
      'no dimensions',
      { ...named, COPYDESK_EMBEDDINGS_DIMENSIONS: '0' },
      'embeddings.dimensions: must be 1 or more',
    ],
    [
      'an address that is none',
      { ...named, COPYDESK_EMBEDDINGS_BASE_URL: 'ollama' },
      'embeddings.baseUrl: must be a URL that starts with',
    ],
    ['a server without an address', named, 'embeddings.baseUrl: is missing, and so is providers.custom'],
    [
      'OpenAI without a key',
      { ...named, COPYDESK_EMBEDDINGS_PROVIDER: 'hosted_b' },
      'embeddings.apiKey: is missing',
    ],
    [
      'the key of another server',
      {
        ...named,
        COPYDESK_EMBEDDINGS_PROVIDER: 'hosted_b',
        OPENAI_API_KEY: 'k',
        COPYDESK_EMBEDDINGS_BASE_URL: 'https://other.example/v1',
      },
      'embeddings.apiKey: is missing, and providers.hosted_b has none for this address',
    ],
    [
      'a folder with an address',
      {
        ...named,
        COPYDESK_EMBEDDINGS_PROVIDER: 'static',
        COPYDESK_EMBEDDINGS_BASE_URL: 'http://localhost/v1',
      },
      'embeddings.baseUrl: must be omitted: static is a folder of this machine',
    ],
  ])('are rejected by name: %s', async (_, env, message) => {
    using folder = temporaryFolder()
    const { code, stderr } = await cli(['config', 'show'], { cwd: folder.path, env })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('copydesk doctor', () => {
  it('says which embeddings are configured and whether they answer', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const finding = async (env: Record<string, string> = {}) => {
      const { stdout } = await cli(['doctor', '--json'], { cwd: folder.path, env })
      const { findings } = JSON.parse(stdout) as { findings: Array<{ name: string }> }
      return findings.find(({ name }) => name === 'embeddings')
    }
    expect(await finding()).toEqual({
      name: 'embeddings',
      ok: true,
      message: 'none configured: keyword search only',
    })
    // The key and the address of the model provider of the same name, in a network that is otherwise refused.
    await using server = await startEmbeddings(undefined, { apiKey: 'k', dimensions: 384 })
    const custom = {
      ...named,
      COPYDESK_CUSTOM_BASE_URL: server.url,
      COPYDESK_CUSTOM_API_KEY: 'k',
      COPYDESK_CUSTOM_MODELS: 'writer',
    }
    expect(await finding(custom)).toMatchObject({
      ok: true,
      message:
        'm (custom) answers with 384 dimensions, compared by sqlite-vec 0.1.9 where memory cannot hold them',
    })
    expect(await finding({ ...custom, COPYDESK_EMBEDDINGS_API_KEY: 'other' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('refused the credentials'),
      remedy: expect.stringContaining('keywords only'),
    })
  })

  it('says that vectors are compared in this process where sqlite-vec is not installed', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    await using server = await startEmbeddings()
    const env = { ...named, COPYDESK_EMBEDDINGS_BASE_URL: server.url, COPYDESK_EMBEDDINGS_API_KEY: 'k' }
    const { ended } = start(
      process.execPath,
      ['--import', withoutSqliteVec, await bundled('main'), 'doctor', '--json'],
      { cwd: folder.path, env },
    )
    const { findings } = JSON.parse((await ended).stdout) as { findings: Array<{ name: string }> }
    expect(findings.find(({ name }) => name === 'embeddings')).toMatchObject({
      ok: true,
      message:
        'm (custom) answers with 64 dimensions, compared in this process, because sqlite-vec is not installed',
    })
  })

  it('finds a static model in a folder of the data folder', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const model = join(folder.path, 'copydesk-data', 'models')
    mkdirSync(model)
    writeFileSync(join(model, 'tokenizer.json'), wordPiece(['[UNK]', 'copy', '##desk']))
    writeFileSync(
      join(model, 'model.safetensors'),
      safetensors({ embeddings: f32([3, 2], [1, 1, 2, 2, 3, 3]) }),
    )
    const env = { COPYDESK_EMBEDDINGS_PROVIDER: 'static', COPYDESK_EMBEDDINGS_MODEL: 'models' }
    const { stdout } = await cli(['doctor'], { cwd: folder.path, env })
    expect(stdout).toContain('embeddings: models (static) answers with 2 dimensions')
  })
})
