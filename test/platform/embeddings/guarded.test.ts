import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { createEmbedder } from '../../../packages/core/src/platform/embeddings/embedder.ts'
import type { Embedder } from '../../../packages/core/src/platform/embeddings/port.ts'
import { createHttpClient } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { startEmbeddings } from '../../kit/embedding-server.ts'

describe('embed with a provider', () => {
  it('is refused at a private address unless that is allowed', async () => {
    await using server = await startEmbeddings()
    const reached = async (allowHosts: string[]) => {
      const http = createHttpClient({ log: silentLogger, allowHosts })
      const embedder = createEmbedder(
        { provider: 'local', model: 'm', baseUrl: server.url },
        { fetch: http.guardedFetch, clock: createSystemClock(), dataDir: '' },
      ) as Embedder
      try {
        return await embedder.embed(['oats'], { purpose: 'query' })
      } finally {
        await http.close()
      }
    }
    await expect(reached([])).rejects.toMatchObject({
      reason: 'missing',
      message: expect.stringContaining('not a public address'),
    })
    expect(server.calls).toEqual([])
    expect((await reached([new URL(server.url).host])).vectors).toHaveLength(1)
  })

  it('without a key at OpenAI, or without an address, asks no one', async () => {
    const asked: unknown[] = []
    const spy: typeof globalThis.fetch = async (input) => {
      asked.push(input)
      return new Response()
    }
    const parts = { fetch: spy, clock: createSystemClock(), dataDir: '' }
    const none = createEmbedder({ provider: 'hosted_b', model: 'm' }, parts) as Embedder
    await expect(none.embed(['oats'], { purpose: 'query' })).rejects.toMatchObject({ reason: 'auth' })
    const nowhere = createEmbedder({ provider: 'local', model: 'm' }, parts) as Embedder
    await expect(nowhere.embed(['oats'], { purpose: 'query' })).rejects.toMatchObject({ reason: 'missing' })
    await nowhere.close()
    expect(asked).toEqual([])
  })
})

describe('createEmbedder', () => {
  it('makes nothing where nothing is configured', () => {
    const parts = { fetch, clock: createSystemClock(), dataDir: '' }
    expect(createEmbedder(undefined, parts)).toBeUndefined()
  })
})
