import { describe, expect, it } from 'vitest'
import { vectorOf } from '../../kit/embedding-server.ts'
import { document, harness, numbered, pointing, query, rounded } from './provider-server.ts'

describe('embed with a provider', () => {
  it.each(['hosted_b', 'custom', 'local'] as const)(
    'gives a vector of length 1 for each text, from %s, and counts tokens',
    async (provider) => {
      await using it = await harness(undefined, { provider, apiKey: 'key-1', key: 'key-1' })
      expect(it.embedder).toMatchObject({ provider, model: 'm', dimensions: undefined })
      const { vectors, tokens } = await it.embedder.embed(['oat bread', 'bread bread'], document)
      const root = Math.sqrt(0.5)
      expect(rounded(vectors)).toEqual([
        vectorOf('oat bread', 64).map((value) => Math.round(value * root * 1e6) / 1e6),
        vectorOf('bread', 64),
      ])
      expect(vectors[0]).toBeInstanceOf(Float32Array)
      expect(tokens).toBe(4)
      expect(it.embedder.dimensions).toBe(64)
      expect(it.server.calls[0]?.body).toMatchObject({ model: 'm', encoding_format: 'float' })
    },
  )

  it('asks for the dimensions of the configuration', async () => {
    await using it = await harness(undefined, { dimensions: 16 })
    expect(it.embedder.dimensions).toBe(16)
    const { vectors } = await it.embedder.embed(['oats'], query)
    expect(vectors[0]).toHaveLength(16)
    expect(it.server.calls[0]?.body.dimensions).toBe(16)
  })

  it('estimates the tokens that a server does not count', async () => {
    await using it = await harness(({ body }) => ({
      text: JSON.stringify({ data: body.input.map(() => ({ embedding: [1, 0] })) }),
    }))
    expect(await it.embedder.embed(['12345678', '1234'], document)).toMatchObject({ tokens: 3 })
  })

  it('gives back nothing for no texts, without a request', async () => {
    await using it = await harness()
    expect(await it.embedder.embed([], document)).toEqual({ vectors: [], tokens: 0, estimated: false })
    expect(it.server.calls).toEqual([])
  })

  it('keeps the order of the texts over batches that are answered in another order', async () => {
    const second = Promise.withResolvers<void>()
    await using it = await harness(async ({ body: { input } }) => {
      if (input[0] === '0') await second.promise
      else second.resolve()
      return { vectors: pointing(input) }
    })
    const texts = numbered(70)
    const { vectors } = await it.embedder.embed(texts, document)
    expect(rounded(vectors)).toEqual(rounded(pointing(texts).map((vector) => Float32Array.from(vector))))
    expect(it.server.calls.map(({ body }) => body.input.length).toSorted((a, b) => a - b)).toEqual([
      6, 16, 16, 16, 16,
    ])
  })

  it('limits the characters of a batch', async () => {
    await using it = await harness()
    await it.embedder.embed(['oat '.repeat(5_000), 'rye '.repeat(5_000), 'nut '.repeat(5_000)], document)
    expect(it.server.calls.map(({ body }) => body.input.length).toSorted((a, b) => a - b)).toEqual([1, 2])
  })

  it('takes the order of a server that says it by index', async () => {
    await using it = await harness(({ body: { input } }) => ({
      vectors: pointing(input).toReversed(),
      indexes: input.map((_, index) => input.length - 1 - index),
    }))
    const { vectors } = await it.embedder.embed(['1', '2', '3'], document)
    expect(rounded(vectors)).toEqual(
      rounded(pointing(['1', '2', '3']).map((each) => Float32Array.from(each))),
    )
  })

  it('has four requests for documents under way at the most, for which queries do not wait', async () => {
    const arrived: string[] = []
    const four = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await using it = await harness(async ({ body: { input } }) => {
      const [first = ''] = input
      if (arrived.push(first) === 4) four.resolve()
      if (first !== 'what?') await go.promise
      return {}
    })
    const documents = it.embedder.embed(numbered(5 * 16), document)
    await four.promise
    await it.embedder.embed(['what?'], query)
    expect(arrived.toSorted()).toEqual(['0', '16', '32', '48', 'what?'])
    go.resolve()
    expect((await documents).vectors).toHaveLength(80)
    expect(arrived.at(-1)).toBe('64')
  })
})
