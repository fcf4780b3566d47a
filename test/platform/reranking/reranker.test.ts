import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createReranker, type Reranker } from '../../../packages/core/src/platform/reranking/reranker.ts'
import { type RerankReply, startReranker } from '../../kit/rerank-server.ts'

const texts = ['oats', 'rye', 'bread']

/** Asks a server that answers so, through the guard that the product uses. */
async function asking(
  reply: RerankReply,
  { given = texts, key = 'k', allowed = true }: { given?: string[]; key?: string; allowed?: boolean } = {},
) {
  await using server = await startReranker(() => reply, 'k')
  await using http = createGuard(allowed ? [new URL(server.url).host] : [])
  const reranker = createReranker(
    { provider: 'custom', model: 'm', baseUrl: `${server.url}/`, apiKey: key },
    { fetch: http.fetch, timeoutMs: reply === 'hang' ? 400 : 30_000 },
  ) as Reranker
  const scores = await reranker.score('grain', given).catch((error: unknown) => error)
  return { scores, calls: server.calls }
}

function createGuard(allowHosts: string[]) {
  const http = createHttpClient({ log: silentLogger, allowHosts })
  return { fetch: http.guardedFetch, [Symbol.asyncDispose]: () => http.close() }
}

describe('a rerank model', () => {
  it('gives each text its score, in the order of the texts', async () => {
    const { scores, calls } = await asking([0.2, 0.9, 0])
    expect(scores).toEqual([0.2, 0.9, 0])
    expect(calls).toMatchObject([
      {
        body: { model: 'm', query: 'grain', documents: texts, top_n: 3 },
        headers: { authorization: 'Bearer k' },
      },
    ])
  })

  it('takes scores beyond 0 to 1 for logits', async () => {
    const { scores } = await asking([8, -5, 0])
    expect(scores).toEqual([expect.closeTo(0.99966, 4), expect.closeTo(0.00669, 4), 0.5])
  })

  it('sends at most 50 texts of 4,000 characters, and no half of a letter', async () => {
    const long = `${'x'.repeat(3_999)}😀`
    const { calls } = await asking(
      Array.from({ length: 50 }, () => 0.5),
      { given: Array.from({ length: 60 }, () => long) },
    )
    const { documents } = calls[0]?.body ?? { documents: [] }
    expect(documents).toHaveLength(50)
    expect(documents[0]).toBe(`${'x'.repeat(3_999)}\ufffd`)
  })

  const results = (...given: object[]) => ({ text: JSON.stringify({ results: given }) })
  const at = (index: unknown, score: unknown = 0.5) => ({ index, relevance_score: score })
  it.each<[string, RerankReply, string]>([
    ['an error', { status: 503 }, 'answered 503'],
    ['nothing', 'hang', 'did not answer within 0.4 seconds'],
    ['no JSON', { text: '<html>' }, 'could not be asked'],
    ['another form', { text: '[{"index":0,"score":1}]' }, 'something other than scores'],
    [
      'a score that is no number',
      { text: '{"results":[{"index":0,"relevance_score":NaN}]}' },
      'could not be asked',
    ],
    [
      'a score without bounds',
      { text: '{"results":[{"index":0,"relevance_score":1e999}]}' },
      'something other than scores',
    ],
    ['a score as text', results(at(0, '0.5'), at(1), at(2)), 'something other than scores'],
    ['an index beyond the texts', results(at(0), at(1), at(3)), 'one score for each of 3 texts'],
    ['a negative index', results(at(0), at(1), at(-1)), 'one score for each of 3 texts'],
    ['an index twice', results(at(0), at(1), at(1)), 'one score for each of 3 texts'],
    ['too few scores', results(at(0)), 'one score for each of 3 texts'],
    ['more scores than texts', results(at(0), at(1), at(2), at(2)), 'one score for each of 3 texts'],
    ['more than it was asked for', { text: ' '.repeat(3 * 2 ** 20) }, 'could not be asked'],
  ])('fails in words when the server answers with %s', async (_, reply, message) => {
    const { scores } = await asking(reply)
    expect(scores).toMatchObject({ name: 'RerankFault', message: expect.stringContaining(message) })
    expect((scores as Error).message).toMatch(/^The rerank model m \(custom\) /)
  })

  it('fails with a wrong key, and at a private address that is not allowed', async () => {
    const { scores: refused } = await asking([1, 1, 1], { key: 'other-key' })
    expect(refused).toMatchObject({ message: 'The rerank model m (custom) answered 401' })
    const { scores, calls } = await asking([1, 1, 1], { allowed: false })
    expect(scores).toMatchObject({ name: 'RerankFault' })
    expect(calls).toEqual([])
  })
})
