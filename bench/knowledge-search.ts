import { type Copydesk, createCopydesk } from '@copydesk/core'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import { modelKey, packVector } from '../packages/core/src/domain/knowledge/search/vectors.ts'
import { createIds } from '../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../packages/core/src/platform/database/database.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { startEmbeddings } from '../test/kit/embedding-server.ts'
import { type Installation, lookInto, type Seeded, seed } from './installation.ts'
import { numbersFrom, queryOf, textOf } from './knowledge-texts.ts'
import { expectEqual, less, type Metric, type Metrics, percentile } from './measure.ts'

const tenants = 10
const dimensions = 256
const chunkWords = 150
const chunksPerFile = 10
const queries = 300
const results = 10
const peer = 'one statement by the raw driver: the index for words, ranked by its own function'

const numbers = (next: () => number) => {
  const vector = Float32Array.from({ length: dimensions }, () => next() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map((number) => number / length)
}

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
  const { datasetId, vectors } = await fill(installation, seeded, chunks, next)
  say(`  filled ${chunks} chunks on ${name} in ${Math.round((performance.now() - begun) / 1_000)} s`)
  const byQuery = new Map<string, number[]>()
  await using server = await startEmbeddings(({ body }) => ({
    vectors: body.input.map((text) => byQuery.get(text) ?? Array.from(numbers(next))),
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
      const vector = numbers(next)
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

type Vectors = Map<string, Float32Array>

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

/** Gives each tenant a dataset with as many chunks. @returns that of the first tenant, with its vectors */
async function fill(
  installation: Installation,
  { tenantId, neighbours }: Seeded,
  chunks: number,
  next: () => number,
): Promise<{ datasetId: string; vectors: Vectors }> {
  const db = await lookInto(installation)
  const newId = createIds({ now: () => Date.now() } as never)
  const vectors: Vectors = new Map()
  const key = modelKey('custom', 'bench', dimensions)
  const now = new Date()
  let first = ''
  try {
    for (const owner of [tenantId, ...neighbours]) {
      const rows = await db.sql.all('select id from datasets where tenant_id = ? order by id limit 1', [
        owner,
      ])
      const datasetId = (rows[0] as { id: string }).id
      first ||= datasetId
      for (let file = 0; file < chunks / tenants / chunksPerFile; file += 1) {
        const fileId = newId()
        await db.write(async (tx) => {
          await tx.run(insertInto('knowledge_files', fileColumns, 1), [
            fileId,
            owner,
            datasetId,
            `${file}.md`,
            'text/markdown',
            1,
            '0'.repeat(64),
            'upload',
            'indexed',
            100,
            true,
            chunksPerFile,
            1,
            key,
            now,
            now,
          ] satisfies SqlValue[])
          const values: SqlValue[] = []
          for (let ordinal = 0; ordinal < chunksPerFile; ordinal += 1) {
            const id = newId()
            const vector = numbers(next)
            if (owner === tenantId) vectors.set(id, vector)
            values.push(
              id,
              owner,
              datasetId,
              fileId,
              1,
              ordinal,
              textOf(next, chunkWords),
              textOf(next, 3),
              id,
              key,
              packVector(vector),
            )
          }
          await tx.run(insertInto('knowledge_chunks', chunkColumns, chunksPerFile), values)
        })
      }
    }
    // As the server does in time by itself.
    if (db.dialect === 'postgresql') await db.write((tx) => tx.run('analyze'))
  } finally {
    await db.close()
  }
  return { datasetId: first, vectors }
}

const fileColumns =
  'id, tenant_id, dataset_id, file_name, mime_type, file_size_bytes, sha256, source, status, progress, enabled, chunks_count, version, model, created_on, updated_on'
const chunkColumns =
  'id, tenant_id, dataset_id, file_id, version, ordinal, text, heading, sha256, model, vector'

function insertInto(table: string, columns: string, rows: number): string {
  const row = `(${columns
    .split(',')
    .map(() => '?')
    .join()})`
  return `insert into ${table} (${columns}) values ${Array.from({ length: rows }, () => row).join()}`
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
