import { describe, expect, it } from 'vitest'
import { createSdkProvider } from '../../../packages/core/src/platform/models/sdk.ts'
import { startAnthropicLike, startCompatible, startOpenAiLike } from '../../kit/model-servers.ts'
import { ask, listener } from './listener.ts'

describe('createSdkProvider', () => {
  it.each(['hosted_a', 'hosted_b'] as const)(
    '%s without a key fails as auth and asks nobody',
    async (type) => {
      const seen: unknown[] = []
      const provider = createSdkProvider({
        id: 'p1',
        type,
        fetch: async (input) => {
          seen.push(input)
          return new Response()
        },
      })
      await expect(provider.generate(ask(), listener())).rejects.toMatchObject({ family: 'auth' })
      expect(await provider.check()).toMatchObject({ ok: false })
      expect(seen).toEqual([])
    },
  )

  it('requires an address for a self-hosted server, and no key', async () => {
    expect(() => createSdkProvider({ id: 'p1', type: 'local', fetch })).toThrow('base URL')
    await using server = await startCompatible([{ text: ['Hello'] }])
    const provider = createSdkProvider({ id: 'p1', type: 'local', baseUrl: `${server.url}/`, fetch })
    expect(await provider.generate(ask(), listener())).toMatchObject({ text: 'Hello' })
    expect(server.calls[0]?.headers.authorization).toBeUndefined()
  })

  it('reports a model that a self-hosted server lacks, and compares tags leniently', async () => {
    await using server = await startCompatible([], { models: ['llama3:8b', 'phi'] })
    const checked = (models: string[]) =>
      createSdkProvider({ id: 'p1', type: 'local', baseUrl: server.url, models, fetch }).check()
    expect(await checked(['llama3'])).toMatchObject({ ok: true })
    expect(await checked(['mistral'])).toMatchObject({
      ok: false,
      message: expect.stringContaining('mistral'),
    })
  })

  it('disables storage of prompts at the vendor', async () => {
    await using server = await startOpenAiLike([{ text: ['x'] }])
    await createSdkProvider({ id: 'p1', type: 'hosted_b', apiKey: 'k', baseUrl: server.url, fetch }).generate(
      ask(),
      listener(),
    )
    expect(server.calls[0]?.body.store).toBe(false)
  })

  it('prints no warning about a model unknown to the SDK', async () => {
    await using server = await startAnthropicLike([{ text: ['x'] }])
    const printed: unknown[] = []
    const note = (warning: Error) => printed.push(warning.message)
    process.on('warning', note)
    await createSdkProvider({ id: 'p1', type: 'hosted_a', apiKey: 'k', baseUrl: server.url, fetch }).generate(
      ask(),
      listener(),
    )
    // Warnings are emitted in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(printed).toEqual([])
  })

  it('uses the injected fetch for all requests', async () => {
    await using server = await startAnthropicLike([{ text: ['x'] }])
    const seen: string[] = []
    const own: typeof fetch = (input, init) => {
      seen.push(new Request(input).url.replace(/^.*:\d+/, ''))
      return fetch(input, init)
    }
    const provider = createSdkProvider({
      id: 'p1',
      type: 'hosted_a',
      apiKey: 'k',
      baseUrl: server.url,
      fetch: own,
    })
    await provider.check()
    await provider.generate(ask(), listener())
    expect(seen).toEqual(['/v1/models', '/v1/messages'])
  })
})
