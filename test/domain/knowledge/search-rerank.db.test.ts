import { describe, expect, it } from 'vitest'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import type { Ctx } from '../../../packages/core/src/kernel/context.ts'
import { createReranker } from '../../../packages/core/src/platform/reranking/reranker.ts'
import { type RerankReply, startReranker } from '../../kit/rerank-server.ts'
import { createCorpus } from './corpus.ts'

const texts = ({ results }: KnowledgeResults) => results.map(({ content }) => content)

/** A corpus and a model that answers so; `by` searches with it. */
async function createRanked(reply: (documents: string[]) => RerankReply, timeoutMs = 30_000) {
  await using stack = new AsyncDisposableStack()
  const corpus = stack.use(await createCorpus())
  const server = stack.use(await startReranker(({ body }) => reply(body.documents)))
  const reranker = createReranker(
    { provider: 'custom', model: 'm', baseUrl: server.url },
    { fetch: globalThis.fetch, timeoutMs },
  )
  const by: Ctx = { ...corpus.ctx, services: { ...corpus.ctx.services, reranker } }
  const owned = stack.move()
  return { corpus, server, by, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const loaves = ['Rye bread, bread of rye.', 'Rye in the field.', 'A rye loaf with AB-1234 on it.']
/** Likes fields. */
const byField = (documents: string[]) =>
  documents.map((text) => (text.includes('field') ? 0.9 : text.includes('loaf') ? 0.4 : 0))

describe('searchKnowledge with rerank', () => {
  it('puts first what the model says, with its scores, only where it is asked for', async () => {
    await using ranked = await createRanked(byField)
    const { corpus, by, server } = ranked
    await corpus.addFile(loaves)
    const without = await corpus.search('rye', { hybridAlpha: 0 }, by)
    expect(texts(without)[0]).not.toBe(loaves[1])
    expect(server.calls).toEqual([])
    const found = await corpus.search('rye', { hybridAlpha: 0, rerank: true }, by)
    expect(texts(found)).toEqual([loaves[1], loaves[2], loaves[0]])
    expect(found.results.map(({ score }) => score)).toEqual([0.9, 0.4, 0])
    expect(found.results.map(({ rankSource }) => rankSource)).toEqual(['keyword', 'keyword', 'keyword'])
    expect(server.calls[0]?.body).toMatchObject({ model: 'm', query: 'rye' })
    const best = await corpus.search('rye', { hybridAlpha: 0, rerank: true, minScore: 0.5, topK: 1 }, by)
    expect(texts(best)).toEqual([loaves[1]])
  })

  it('still puts signs and phrases of the query first', async () => {
    await using ranked = await createRanked(byField)
    const { corpus, by } = ranked
    await corpus.addFile(loaves)
    const found = await corpus.search('rye AB-1234', { hybridAlpha: 0, rerank: true }, by)
    expect(texts(found).slice(0, 2)).toEqual([loaves[2], loaves[1]])
    expect(found.results[0]?.score).toBeCloseTo((1 + 0.4) / 2, 10)
  })

  it('shows the model the headings, and at most 50 texts', async () => {
    await using ranked = await createRanked((documents) => documents.map(() => 0.5))
    const { corpus, by, server } = ranked
    await corpus.addFile(Array.from({ length: 60 }, (_, n) => ({ text: `rye ${n}`, heading: 'Loaves' })))
    await corpus.search('rye', { hybridAlpha: 0, rerank: true, topK: 20 }, by)
    const [call] = server.calls
    expect(call?.body.documents).toHaveLength(50)
    expect(call?.body.documents[0]).toMatch(/^Loaves\n\nrye \d+$/)
  })

  it.each<[string, RerankReply]>([
    ['fails', { status: 500 }],
    ['is slow', 'hang'],
    ['answers with garbage', { text: 'garbage' }],
    ['names texts that were not sent', { text: '{"results":[{"index":7,"relevance_score":1}]}' }],
  ])('keeps the order of search when the model %s, and logs it', async (_, reply) => {
    await using ranked = await createRanked(() => reply, reply === 'hang' ? 400 : 30_000)
    const { corpus, by } = ranked
    await corpus.addFile(loaves)
    const expected = await corpus.search('rye', { hybridAlpha: 0 })
    const { results } = await corpus.search('rye', { hybridAlpha: 0, rerank: true }, by)
    expect(results).toEqual(expected.results)
    expect(corpus.warnings).toEqual(['results were not reranked'])
  })

  it('changes nothing where no model is configured', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(loaves)
    const expected = await corpus.search('rye', { hybridAlpha: 0 })
    expect((await corpus.search('rye', { hybridAlpha: 0, rerank: true })).results).toEqual(expected.results)
    expect(corpus.warnings).toEqual([])
  })
})
