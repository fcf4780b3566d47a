import { type Copydesk, createCopydesk } from '@copydesk/core'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { startEmbeddings } from '../test/kit/embedding-server.ts'
import { type Installation, type Seeded, seed } from './installation.ts'
import { fillDatasets, unitVector, type Vectors } from './knowledge-data.ts'
import { numbersFrom, queryOf } from './knowledge-texts.ts'
import { expectEqual, less, type Metric, type Metrics, percentile } from './measure.ts'

const tenants = 10
const dimensions = 256
const queries = 300
const results = 10
const peer = 'one statement by the raw driver: the index for words, ranked by its own function'

/**
 * Search in a dataset with a tenth of the chunks, beside nine other tenants, one query at a time, in process: by words, and by words and vectors, which
 * a server in this process gives. The vector path is compared with a comparison of all vectors.
 */
export async function searchOn(
  name: string,
  installation: Installation,
  chunks: number,
  say: (line: string) => void,
): Promise<Metrics> {
  const seeded = await seed(installation, { approvals: 0, reviewers: 0, neighbours: tenants - 1 })
  const next = numbersFrom(7)
  const begun = performance.now()
  const { datasetIds, vectors } = await fillDatasets(installation, seeded, { chunks, dimensions }, next)
  const [datasetId = ''] = datasetIds
  say(`  filled ${chunks} chunks on ${name} in ${Math.round((performance.now() - begun) / 1_000)} s`)
  const byQuery = new Map<string, number[]>()
  await using server = await startEmbeddings(({ body }) => ({
    vectors: body.input.map((text) => byQuery.get(text) ?? Array.from(unitVector(next, dimensions))),
  }))
  const copydesk = await createCopydesk({
    ...installation,
    log: silentLogger,
    worker: false,
    embeddings: { provider: 'custom', model: 'bench', baseUrl: server.url },
    allowHosts: [new URL(server.url).host],
  })
  const raw = await openRaw(installation.database)
  try {
    const search = searcher(copydesk, seeded, datasetId)
    const waits = { words: [] as number[], hybrid: [] as number[], peer: [] as number[] }
    const timed = async (into: number[], isCounted: boolean, work: () => Promise<unknown>) => {
      const start = performance.now()
      await work()
      if (isCounted) into.push(performance.now() - start)
    }
    for (let i = -30; i < queries; i += 1) {
      const query = queryOf(next)
      const vector = unitVector(next, dimensions)
      byQuery.set(query, Array.from(vector))
      // In turns, so that all of them meet the same moods of the machine; the first ones warm up.
      await timed(waits.words, i >= 0, () => search(query, 0))
      await timed(waits.hybrid, i >= 0, () => search(query, 0.7))
      await timed(waits.peer, i >= 0, () => raw.ask(datasetId, query.split(' ')))
      if (i % 10 === 0) expectExact(await search(query, 1), vector, vectors)
    }
    const of = (kind: 'words' | 'hybrid', share: number, aim?: string): Metric =>
      less(percentile(waits[kind], share), 'ms', peer, percentile(waits.peer, share), aim)
    return {
      [`knowledge.${name}.words.p50`]: of('words', 0.5),
      [`knowledge.${name}.words.p95`]: of('words', 0.95, '10 ms'),
      [`knowledge.${name}.hybrid.p50`]: of('hybrid', 0.5),
      [`knowledge.${name}.hybrid.p95`]: of('hybrid', 0.95, '25 ms'),
      [`knowledge.${name}.vectors.recall`]: { value: 1, unit: 'of the exact result' },
    }
  } finally {
    await raw.close()
    await copydesk.stop()
  }
}

function searcher(copydesk: Copydesk, { tenantId, adminId }: Seeded, datasetId: string) {
  const person = { id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] } as const
  const caller = copydesk.as(person)
  return async (query: string, hybridAlpha: number) => {
    const body = { query, datasetIds: [datasetId], topK: results, hybridAlpha }
    return (await caller.call('dashboard.knowledge_base.search', { body })).results
  }
}

/** @throws Error when another chunk is nearer than one that was found */
function expectExact(found: ReadonlyArray<{ chunkId: string }>, query: Float32Array, vectors: Vectors): void {
  const near = [...vectors].map(([id, vector]) => ({
    id,
    score: vector.reduce((sum, n, i) => sum + n * (query[i] ?? 0), 0),
  }))
  const best = near.toSorted((a, b) => b.score - a.score).slice(0, results)
  const ids = new Set(found.map(({ chunkId }) => chunkId))
  expectEqual('chunks that are nearest and were found', best.filter(({ id }) => ids.has(id)).length, results)
}

/** The peer: the same words in the same index, without a check of rights, without the texts, without vectors. */
async function openRaw(url: string) {
  if (url.startsWith('sqlite:')) {
    const db = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true })
    const statement = db.prepare(
      `select rowid from knowledge_words where knowledge_words match ? order by bm25(knowledge_words, 0, 2, 1) limit ${results}`,
    )
    return {
      ask: async (datasetId: string, words: readonly string[]) =>
        statement.all(`{dataset_id} : "${datasetId}" AND {heading text} : (${words.join(' OR ')})`),
      close: async () => void db.close(),
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const text = `select seq from knowledge_words, to_tsquery('knowledge_english', $2) q
    where knowledge_keys(dataset_id, words) && knowledge_keys($1, to_tsvector('knowledge_english', $2))
    order by ts_rank(words, q) desc limit ${results}`
  return {
    ask: async (datasetId: string, words: readonly string[]) =>
      (await client.query({ name: 'peer', text, values: [datasetId, words.join(' | ')] })).rows,
    close: () => client.end(),
  }
}
