import { describe, expect, it } from 'vitest'
import type { EmbeddingReply } from '../../kit/embedding-server.ts'
import { document, harness, numbered, pointing, query } from './provider-server.ts'

describe('a fault of a provider of embeddings', () => {
  it('of a server that says when is waited for, and not longer than the caller would', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' } }
    await using it = await harness((_, index) => (index === 1 ? {} : busy))
    const { vectors } = await it.embedder.embed(['oats'], document)
    expect(vectors).toHaveLength(1)
    expect(it.waits).toEqual([7_000])
    await expect(it.embedder.embed(['oats'], query)).rejects.toMatchObject({
      name: 'EmbeddingFault',
      reason: 'quota',
      retryAfterMs: 7_000,
    })
    expect(it.server.calls).toHaveLength(3)
  })

  it('of a quota without an end is told at once', async () => {
    await using it = await harness(() => ({ status: 429 }))
    await expect(it.embedder.embed(['oats'], document)).rejects.toMatchObject({ reason: 'quota' })
    expect(it.server.calls).toHaveLength(1)
  })

  it.each<[string, EmbeddingReply]>([
    ['an error 500', { status: 500 }],
    ['a connection that breaks', { cut: true }],
  ])('of passing kind, such as %s, half-way is tried again', async (_, trouble) => {
    let failed = false
    await using it = await harness(({ body: { input } }) => {
      if (input[0] !== '16' || failed) return { vectors: pointing(input) }
      failed = true
      return trouble
    })
    const { vectors } = await it.embedder.embed(numbered(48), document)
    expect(vectors).toHaveLength(48)
    expect(it.waits).toEqual([500])
    expect(it.server.calls).toHaveLength(4)
  })

  it('that stays is told after four attempts with growing waits, for a query after two', async () => {
    await using it = await harness(() => ({ status: 503 }))
    await expect(it.embedder.embed(['oats'], document)).rejects.toMatchObject({ reason: 'transient' })
    expect(it.waits).toEqual([500, 1_000, 2_000])
    await expect(it.embedder.embed(['oats'], query)).rejects.toMatchObject({ reason: 'transient' })
    expect(it.server.calls).toHaveLength(6)
  })

  it.each<[string, number, string]>([
    ['a model that is not there', 404, 'missing'],
    ['a text that it does not take', 400, 'input'],
    ['a key without the right', 403, 'auth'],
  ])('for %s is not tried again', async (_, status, reason) => {
    await using it = await harness(() => ({ status }))
    await expect(it.embedder.embed(['oats'], document)).rejects.toMatchObject({ reason })
    expect(it.server.calls).toHaveLength(1)
  })

  it('for a wrong key names the provider and not the key', async () => {
    await using it = await harness(undefined, { key: 'right-key', apiKey: 'wrong-key' })
    const fault = await it.embedder.embed(['oats'], document).catch((error: unknown) => error)
    expect(fault).toMatchObject({ reason: 'auth', message: expect.stringContaining('custom') })
    expect((fault as Error).message).not.toContain('wrong-key')
  })

  it.each<[string, EmbeddingReply, RegExp]>([
    [
      'fewer vectors than texts',
      { vectors: [[1, 0]] },
      /another number of vectors .*Expected 2.* received 1/,
    ],
    ['vectors of several lengths', { vectors: [[1, 0], [1]] }, /vector of 1 dimensions, not 2 as before/],
    ['empty vectors', { vectors: [[], []] }, /vector of 0 dimensions/],
    ['base64, which it was not asked for', { format: 'base64' }, /lists of numbers/],
    ['another form of JSON', { text: '{"embeddings":[[1],[2]]}' }, /lists of numbers/],
    [
      'numbers that are too large',
      { text: '{"data":[{"embedding":[1e200,0]},{"embedding":[1,0]}]}' },
      /numbers that are too large/,
    ],
  ])('that answers with %s is clear, and final', async (_, reply, message) => {
    await using it = await harness(() => reply)
    await expect(it.embedder.embed(['oats', 'rye'], document)).rejects.toMatchObject({
      reason: 'dimensions',
      message: expect.stringMatching(message),
    })
    expect(it.server.calls).toHaveLength(1)
  })

  it('that changes its dimensions later is told, and that ignores those asked for', async () => {
    await using it = await harness((_, index) => ({ vectors: [index === 0 ? [1, 0, 0] : [1, 0]] }))
    await it.embedder.embed(['oats'], document)
    await expect(it.embedder.embed(['rye'], document)).rejects.toMatchObject({
      reason: 'dimensions',
      message: expect.stringContaining('not 3 as before'),
    })
    await using other = await harness(() => ({ vectors: [[1, 0, 0]] }), { dimensions: 2 })
    await expect(other.embedder.embed(['oats'], document)).rejects.toMatchObject({
      message: expect.stringContaining('not 2 as embeddings.dimensions says'),
    })
  })

  it('in one batch ends the others of the call', async () => {
    await using it = await harness(({ body: { input } }) =>
      input[0] === '0' ? { status: 400 } : { hang: true },
    )
    await expect(it.embedder.embed(numbered(32), document)).rejects.toMatchObject({ reason: 'input' })
    await it.server.abandoned
  })
})

describe('a caller who gives up', () => {
  it('ends a slow request', async () => {
    const there = Promise.withResolvers<void>()
    await using it = await harness(() => {
      there.resolve()
      return { hang: true }
    })
    const stop = new AbortController()
    const work = it.embedder.embed(['oats'], { ...query, signal: stop.signal })
    void there.promise.then(() => stop.abort(new Error('enough')))
    await expect(work).rejects.toThrow('enough')
    await it.server.abandoned
  })

  it('before the first request sends none', async () => {
    await using it = await harness()
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(it.embedder.embed(['oats'], { ...query, signal })).rejects.toThrow('too late')
    expect(it.server.calls).toEqual([])
  })
})

describe('texts that cannot be embedded', () => {
  it.each<[string, string[], RegExp]>([
    ['a blank one', ['oats', ' \n'], /Text 2 is blank/],
    ['one that is too long', ['a'.repeat(50_001)], /Text 1 has 50001 characters/],
    ['too many', numbered(4_097), /4097 texts/],
  ])('are rejected by their position before anything is sent: %s', async (_, texts, message) => {
    await using it = await harness()
    await expect(it.embedder.embed(texts, document)).rejects.toMatchObject({
      reason: 'input',
      message: expect.stringMatching(message),
    })
    expect(it.server.calls).toEqual([])
  })
})
