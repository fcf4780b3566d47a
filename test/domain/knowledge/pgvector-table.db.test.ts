import { describe, expect, it } from 'vitest'
import { embedAgain } from '../../../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { ingest } from '../../../packages/core/src/domain/knowledge/ingestion/ingest.ts'
import { tidyKnowledge } from '../../../packages/core/src/domain/knowledge/ingestion/tidy.ts'
import { KnowledgeSearch } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../../../packages/core/src/domain/knowledge/search/search.ts'
import { migrateDown, migrateUp } from '../../../packages/core/src/platform/database/migrate.ts'
import type { Logger } from '../../../packages/core/src/platform/log.ts'
import { createTestApp } from '../../kit/app.ts'
import { dialect, silent } from '../../kit/database.ts'
import { startEmbeddings } from '../../kit/embedding-server.ts'
import { datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { parts } from '../agents.ts'
import { createCorpus } from './corpus.ts'
import { type Corpus, forget } from './in-database.ts'
import { countRows, fillTable, hasPgvector } from './pgvector.ts'

const { signal } = new AbortController()

const named = (count: number) => Array.from({ length: count }, (_, n) => `loaf number ${n}`)
const run = ({ app }: Pick<Corpus, 'app'>, text: string) => app.db.write((tx) => tx.run(text))
const texts = async (corpus: Corpus, query: string) =>
  (await corpus.search(query, { hybridAlpha: 1 })).results.map(({ content }) => content)

/** Has every statement that adds vectors fail once there are as many. */
const failFrom = async (corpus: Pick<Corpus, 'app'>, rows: number) => {
  await run(
    corpus,
    `create function refuse() returns trigger language plpgsql as $$ begin
       if (select count(*) from knowledge_vectors) >= ${rows} then raise 'no space left'; end if; return null; end $$`,
  )
  await run(
    corpus,
    'create trigger refuse before insert on knowledge_vectors for each statement execute function refuse()',
  )
}

/** An instance with a team whose files are ingested by hand, with a model that is called so. */
async function createIngesting() {
  const server = await startEmbeddings()
  const allowHosts = [new URL(server.url).host]
  const app = await createTestApp({ worker: false, allowHosts })
  const team = await app.team()
  const datasetId = await datasetOf(team)
  const warnings: string[] = []
  const log: Logger = { ...silent, warn: (message) => void warnings.push(message) }
  const open: AsyncDisposable[] = []
  return {
    app,
    warnings,
    async instance(model: string) {
      const embeddings = { provider: 'custom' as const, model, baseUrl: server.url }
      const inside = await parts({ options: { ...app.options, embeddings } })
      open.push(inside)
      forget({ inside })
      const ctx = { ...inside.adminOf(team.tenantId), log }
      return { inside, ctx }
    },
    async upload(files: Record<string, string>) {
      const { uploadedFiles } = await addKnowledge(team.member, datasetId, files)
      return uploadedFiles.map(({ id }) => id)
    },
    /** What a search by meaning answers, and by what. */
    async search({ ctx }: { ctx: Corpus['ctx'] }, query: string) {
      const search = KnowledgeSearch.parse({ query, datasetIds: [datasetId], hybridAlpha: 1 })
      const { results } = await searchKnowledge(ctx, search)
      return results.map(({ content, rankSource }) => [content, rankSource])
    },
    /** Of which vectors the table has how many. */
    rows: () =>
      app.db.sql.all<{ file_id: string; version: number; model: string; rows: string }>(
        'select file_id, version, model, count(*)::text as rows from knowledge_vectors group by 1, 2, 3 order by 1, 2',
      ),
    async [Symbol.asyncDispose]() {
      for (const one of open) await one[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Needs pgvector on the PostgreSQL server; where it is missing these are skipped. */
describe.runIf(hasPgvector)('the table for pgvector', () => {
  it('is filled with what was there before, by any number of processes', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(150))
    await corpus.addFile(named(64))
    await corpus.addFile([{ text: 'loaf of another model', model: 'other' }])
    await corpus.addFile(['loaf of an older version'], { chunksVersion: 2 })
    await Promise.all([fillTable(corpus), fillTable(corpus)])
    expect(await countRows(corpus)).toBe(214)
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(214)
  })

  it('is filled further where a process has ended in the middle of it', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(100))
    await corpus.addFile(named(100))
    await fillTable(corpus)
    await run(corpus, 'truncate knowledge_vectors')
    await failFrom(corpus, 128)
    await expect(fillTable(corpus)).rejects.toThrow('no space left')
    expect(await countRows(corpus)).toBe(164)
    forget(corpus)
    expect(await texts(corpus, 'loaf number 99')).toContain('loaf number 99')
    await run(corpus, 'drop trigger refuse on knowledge_vectors')
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(200)
  })

  it('is filled no further when the process is ending', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(10))
    const ended = AbortSignal.abort(new Error('the process is ending'))
    await expect(embedAgain(corpus.inside.system(), {}, ended)).rejects.toThrow('the process is ending')
    expect(await countRows(corpus)).toBe(0)
  })

  it('has the vectors of a file before its version is searched, and not those of the one before it', async () => {
    await using desk = await createIngesting()
    const of = await desk.instance('m')
    await embedAgain(of.inside.system())
    const [fileId = ''] = await desk.upload({ 'rye.md': 'Rye bread' })
    await ingest(of.ctx, { fileId }, signal)
    const model = 'custom/m/64'
    expect(await desk.rows()).toEqual([{ file_id: fileId, version: 1, model, rows: '1' }])
    await desk.app.db.write((tx) =>
      tx.run("update knowledge_files set status = 'pending' where id = ?", [fileId]),
    )
    await ingest(of.ctx, { fileId }, signal)
    expect((await desk.rows()).map(({ version }) => version)).toEqual([1, 2])
    expect(await desk.search(of, 'rye')).toEqual([['Rye bread', 'vector']])
    await tidyKnowledge(of.ctx, { tenantId: of.ctx.scope[0] ?? '', fileId })
    expect(await desk.rows()).toEqual([{ file_id: fileId, version: 2, model, rows: '1' }])
    expect(await desk.search(of, 'rye')).toEqual([['Rye bread', 'vector']])
    expect(desk.warnings).toEqual([])
  })

  it('lacks vectors that could not be added, and the file is searched all the same', async () => {
    await using desk = await createIngesting()
    const of = await desk.instance('m')
    await embedAgain(of.inside.system())
    await failFrom(desk, 0)
    const [fileId = ''] = await desk.upload({ 'rye.md': 'Rye bread' })
    await ingest(of.ctx, { fileId }, signal)
    expect(desk.warnings).toEqual(['vectors were not added to those of pgvector'])
    expect(await desk.search(of, 'rye')).toEqual([['Rye bread', 'vector']])
    await run(desk, 'drop trigger refuse on knowledge_vectors')
    await embedAgain(of.inside.system())
    expect(await desk.rows()).toMatchObject([{ file_id: fileId, rows: '1' }])
  })

  it('has the vectors of a new model beside those of the one before it', async () => {
    await using desk = await createIngesting()
    const [first, second] = [await desk.instance('m'), await desk.instance('n')]
    await embedAgain(first.inside.system())
    const files = await desk.upload({ 'rye.md': 'Rye bread', 'oats.md': 'Rolled oats' })
    for (const fileId of files) await ingest(first.ctx, { fileId }, signal)
    expect(await desk.search(first, 'rye')).toEqual([['Rye bread', 'vector']])
    await embedAgain(second.inside.system())
    for (const [n, fileId] of files.entries()) {
      expect(await desk.search(second, 'rye')).toEqual([['Rye bread', 'keyword']])
      await ingest(second.ctx, { fileId }, signal)
      expect(
        (await desk.rows()).map(({ model }) => model).filter((model) => model === 'custom/n/64'),
      ).toHaveLength(n + 1)
    }
    expect(await desk.search(second, 'rye')).toEqual([['Rye bread', 'vector']])
    expect(desk.warnings).toEqual([])
  })

  it('goes with the schema that it belongs to', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(10))
    await fillTable(corpus)
    const { schema } = await corpus.app.db.orm()
    expect((await schema.getUpdateSchemaSQL()).trim()).toBe('')
    await migrateDown(corpus.inside.db, '0072-limits-by-platform')
    await migrateUp(corpus.inside.db)
    forget(corpus)
    expect(await texts(corpus, 'loaf number 7')).toContain('loaf number 7')
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(10)
  })

  it('is not made by a user who may not create the extension, until a superuser has done so', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(10))
    const role = `copydesk_reader_${process.pid}`
    await run(corpus, `create role ${role}`)
    try {
      await run(corpus, `grant all on schema public to ${role}`)
      await run(corpus, `grant all on all tables in schema public to ${role}`)
      await run(corpus, `grant all on all sequences in schema public to ${role}`)
      const database = `${corpus.app.url}?options=-c%20role%3D${role}`
      await using lesser = await parts({ options: { ...corpus.app.options, database } })
      const said: string[] = []
      const log: Logger = {
        ...silent,
        info: (message) => void said.push(message),
        warn: (message) => void said.push(message),
      }
      const ctx = { ...lesser.system(), log }
      const reason = 'vectors are compared in this process, because the table for pgvector cannot be made'
      for (let n = 0; n < 2; n += 1) await embedAgain(ctx)
      expect(said).toEqual([reason])
      const doctor = async () =>
        (await corpus.app.copydesk.doctor()).find(({ name }) => name === 'embeddings')?.message
      expect(await doctor()).toBe(
        'm (custom) answers with 64 dimensions, compared in this process, because pgvector is not created in this database: a superuser does that there by `create extension vector`',
      )
      await run(corpus, 'create extension vector')
      expect(await doctor()).toMatch(
        /^m \(custom\) answers with 64 dimensions, compared by pgvector \d+\.\d+\.\d+ where memory cannot hold them$/,
      )
      await embedAgain(ctx)
      expect(await countRows(corpus)).toBe(10)
      expect(said).toEqual([reason])
      await run(corpus, 'create schema elsewhere')
      await run(corpus, 'alter extension vector set schema elsewhere')
      expect(await doctor()).toContain('because pgvector is in the schema elsewhere, which the search_path')
    } finally {
      await run(corpus, `drop owned by ${role}`)
      await run(corpus, `drop role ${role}`)
    }
  })
})

describe.runIf(dialect === 'postgresql' && !hasPgvector)('a server without pgvector', () => {
  it('is told of once in the log, and by the doctor, and files are searched all the same', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(10))
    const said: string[] = []
    const log: Logger = { ...silent, info: (message) => void said.push(message) }
    for (let n = 0; n < 2; n += 1) await embedAgain({ ...corpus.inside.system(), log })
    const reason = 'because the PostgreSQL server does not have pgvector'
    expect(said).toEqual([`vectors are compared in this process, ${reason}`])
    forget(corpus)
    expect(await texts(corpus, 'loaf number 7')).toContain('loaf number 7')
    const doctor = await corpus.app.copydesk.doctor()
    expect(doctor.find(({ name }) => name === 'embeddings')?.message).toBe(
      `m (custom) answers with 64 dimensions, compared in this process, ${reason}`,
    )
  })
})
