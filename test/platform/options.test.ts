import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CopydeskOptions, createCopydesk } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { encryptionKeys, signingKeys } from '../kit/app.ts'

/** What is said to options, and whether anything was made of them. */
async function saidTo(changes: Record<string, unknown>): Promise<{ message: string; isThere: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'copydesk-options-'))
  const file = join(folder, 'copydesk.db')
  const options = {
    database: file,
    dataDir: join(folder, 'data'),
    baseUrl: 'http://localhost:8420',
    encryptionKeys,
    signingKeys,
    ...changes,
  } as unknown as CopydeskOptions
  const found = await createCopydesk(options).then(
    async (copydesk) => {
      await copydesk.stop()
      return 'none'
    },
    (error: Error) => `${error.name} ${error.message}`,
  )
  const isThere = existsSync(file) || existsSync(options.dataDir)
  await rm(folder, { recursive: true, force: true })
  return { message: found, isThere }
}

describe('createCopydesk', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a missing base URL', { baseUrl: undefined }, ['createCopydesk: baseUrl: is missing']],
    ['a base URL that is none', { baseUrl: 'desk.example.com' }, ['baseUrl: must be a URL that starts with']],
    [
      'keys of the wrong length',
      { encryptionKeys: [{ id: 'k', key: 'eA==' }] },
      ['encryptionKeys[0].key: must be'],
    ],
    [
      'keys from variables that are not set',
      { signingKeys: [{ id: 's' }] },
      ['signingKeys[0].secret: is missing'],
    ],
    ['no keys', { signingKeys: [] }, ['signingKeys: must hold one key or more']],
    ['an unknown option', { baseURL: 'x' }, ['baseURL: there is no such option']],
    [
      'unknown options deeper down',
      {
        mail: { sender: 'x' },
        redis: { url: 'redis://x', tls: true },
        worker: { concurency: 1, concurrency: 1 },
      },
      [
        '3 options',
        'mail.sender: there is no such',
        'redis.tls: there is no such',
        'worker.concurency: there is',
      ],
    ],
    [
      'several at once',
      { dataDir: 7, database: '', environment: 'test', doors: 'none', log: console.log },
      [
        '5 options cannot be used',
        'dataDir: must be of type string, not number',
        'database: is empty',
        'environment: must be one of production, development',
        'doors: must be one of all, health',
        'log: must be a logger, with the functions debug, info, warn, error, child',
      ],
    ],
    ['a proxy that is no address', { trustProxy: ['proxy.local'] }, ['trustProxy: "proxy.local" is neither']],
    [
      'another form of proxies',
      { trustProxy: { forwardedFor: 'add' } },
      ['trustProxy.forwardedFor: must be one of'],
    ],
    ['an origin that is none', { corsOrigins: ['*'] }, ['corsOrigins: "*" is no origin']],
    [
      'embeddings of an unknown provider',
      { embeddings: { provider: 'hosted_a', model: 'm', dimensions: 0.5 } },
      [
        'embeddings.provider: must be one of hosted_b, local, custom, static',
        'embeddings.dimensions: must be a whole number',
      ],
    ],
    [
      'an embeddings server without an address',
      { embeddings: { provider: 'local', model: 'm' } },
      ['embeddings.baseUrl: is missing: the address of the server, which local needs'],
    ],
    [
      'embeddings of OpenAI without a key',
      { embeddings: { provider: 'hosted_b', model: 'm' } },
      ['embeddings.apiKey: is missing'],
    ],
    [
      'embeddings of a folder with a key',
      { embeddings: { provider: 'static', model: 'm', apiKey: 'k' } },
      ['embeddings.apiKey: must be omitted'],
    ],
    ['a rerank server without an address', { rerank: { provider: 'local', model: 'm' } }, ['rerank.baseUrl']],
    [
      'a command without a program',
      { commands: { x: { shell: true } } },
      ['commands.x.argv', 'commands.x.shell'],
    ],
  ])('rejects %s by name, before anything is created', async (_, changes, parts) => {
    const { message, isThere } = await saidTo(changes)
    expect(message).toMatch(/^TypeError createCopydesk: /)
    for (const part of parts) expect(message).toContain(part)
    expect(isThere).toBe(false)
  })

  it('rejects unknown options', async () => {
    await expect(createCopydesk(undefined as never)).rejects.toThrow('createCopydesk: the options: ')
  })
})
