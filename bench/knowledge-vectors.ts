import { findPostgres } from '../config/postgres.ts'
import type { Assembled } from '../packages/core/src/composition/assemble.ts'
import { embedAgain } from '../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { createKnowledgeCache } from '../packages/core/src/domain/knowledge/search/knowledge-cache.ts'
import { KnowledgeSearch } from '../packages/core/src/domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../packages/core/src/domain/knowledge/search/search.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { parts } from '../test/domain/agents.ts'
import { startEmbeddings } from '../test/kit/embedding-server.ts'
import { type Installation, installationIn, seed } from './installation.ts'
import { fillDatasets, unitVector } from './knowledge-data.ts'
import { numbersFrom, queryOf } from './knowledge-texts.ts'
import { type Bench, expectEqual, type Metrics, percentile } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { temporaryFolder } from './processes.ts'

const tenants = 10
const queries = 150
const results = 10
const warmUp = 20

/** Search by words and vectors, where these are in memory, where the database compares them, and where each search reads them. */
export const vectors: Bench = {
  name: 'vectors',
  long: true,
  async run({ chunks }, say) {
    const found: Metrics = {}
    const postgres = await findPostgres()
    try {
      for (const dimensions of [256, 1_536]) {
        const size = { chunks, dimensions }
        using folder = temporaryFolder()
        Object.assign(found, await compareOn('sqlite', installationIn(folder.path), size, say))
        if (postgres.url === undefined) continue
        const onPostgres = (database: string) =>
          compareOn('postgresql', installationIn(folder.path, database), size, say)
        Object.assign(found, await inDatabase(postgres.url, onPostgres))
      }
      return found
    } finally {
      if (postgres.url !== undefined) await postgres.stop()
    }
  },
}

async function compareOn(
  name: string,
  installation: Installation,
  { chunks, dimensions }: { chunks: number; dimensions: number },
  say: (line: string) => void,
): Promise<Metrics> {
  const seeded = await seed(installation, { approvals: 0, reviewers: 0, neighbours: tenants - 1 })
  const next = numbersFrom(7)
  const { datasetIds } = await fillDatasets(installation, seeded, { chunks, dimensions }, next)
  say(`  filled ${chunks} chunks of ${dimensions} dimensions on ${name}`)
  await using server = await startEmbeddings(({ body }) => ({
    vectors: body.input.map(() => Array.from(unitVector(next, dimensions))),
  }))
  await using inside = await parts({
    options: {
      ...installation,
      log: silentLogger,
      worker: false,
      embeddings: { provider: 'custom', model: 'bench', baseUrl: server.url },
      allowHosts: [new URL(server.url).host],
    },
  })
  const places = [seeded.tenantId, ...seeded.neighbours].map((tenantId, n) => ({
    ctx: inside.adminOf(tenantId),
    datasetId: datasetIds[n] ?? '',
  }))
  const search = async (place = places[0]) => {
    if (!place) throw new Error('There is no dataset')
    const body = { query: queryOf(next), datasetIds: [place.datasetId], topK: results, hybridAlpha: 0.7 }
    const start = performance.now()
    const found = await searchKnowledge(place.ctx, KnowledgeSearch.parse(body))
    expectEqual('results', found.results.length, results)
    return performance.now() - start
  }
  const metrics: Metrics = {}
  const report = (way: string, waits: readonly number[]) => {
    for (const share of [50, 95])
      metrics[`vectors.${name}.${dimensions}.${way}.p${share}`] = {
        value: percentile(waits, share / 100),
        unit: 'ms',
        ...(share === 95 && { aim: '25 ms' }),
      }
  }
  /** The first searches warm up. @param among how many datasets they go round */
  const measure = async (way: string, among = 1) => {
    const waits: number[] = []
    for (let n = 0; n < warmUp + queries; n += 1) {
      const wait = await search(places[n % among])
      if (n >= warmUp) waits.push(wait)
    }
    report(way, waits)
    const { rss } = process.memoryUsage()
    say(`  ${way}: p95 ${percentile(waits, 0.95).toFixed(1)} ms, ${Math.round(rss / 2 ** 20)} MiB`)
  }
  const noRoom = () => {
    inside.services.knowledgeCache = createKnowledgeCache({ mostBytes: 1 })
  }
  noRoom()
  if (name === 'postgresql') {
    if ((await inside.db.vectors()).by === undefined) await inside.db.sql.run('create extension vector')
    await measure('read')
    inside.services.knowledgeCache = createKnowledgeCache()
    await measure('turns.read', tenants)
    const start = performance.now()
    // As the job does every five minutes, for a minute at most.
    do await embedAgain(inside.system())
    while ((await countRows(inside)) < chunks)
    say(`  filled the table for pgvector in ${Math.round((performance.now() - start) / 1_000)} s`)
  }
  noRoom()
  await measure('database')
  inside.services.knowledgeCache = createKnowledgeCache()
  await measure('memory')
  await measure('turns', tenants)
  return metrics
}

async function countRows({ db }: Assembled): Promise<number> {
  const row = await db.sql.get<{ n: string }>('select count(*) as n from knowledge_vectors')
  return Number(row?.n)
}
