import { describe, expect, it } from 'vitest'
import { embedAgain } from '../../../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { ingest } from '../../../packages/core/src/domain/knowledge/ingestion/ingest.ts'
import { KnowledgeSearch } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../../../packages/core/src/domain/knowledge/search/search.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { startEmbeddings } from '../../kit/embedding-server.ts'
import { datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { parts } from '../agents.ts'
import { createCorpus } from './corpus.ts'

const { signal } = new AbortController()

const filesOf = ({ db }: TestApp, status: string) =>
  db.sql.all<{ id: string }>('select id from knowledge_files where status = ? order by id', [status])

describe('embedAgain', () => {
  it('has all files embedded by a model that was configured later, and search goes by words until then', async () => {
    await using server = await startEmbeddings()
    await using app = await createTestApp({ worker: false, allowHosts: [new URL(server.url).host] })
    const team = await app.team()
    const datasetId = await datasetOf(team)
    await addKnowledge(team.member, datasetId, { 'oats.md': 'Rolled oats', 'rye.md': 'Oats with rye' })
    const of = (model?: string) => {
      const embeddings = { provider: 'custom' as const, model: model ?? '', baseUrl: server.url }
      return parts({ ...app, options: { ...app.options, ...(model && { embeddings }) } })
    }
    await using without = await of()
    await using first = await of('m')
    await using second = await of('n')
    type Inside = typeof first
    const ingestNext = async ({ adminOf }: Inside) => {
      const [file] = await filesOf(app, 'pending')
      await ingest(adminOf(team.tenantId), { fileId: file?.id ?? '' }, signal)
    }
    const sources = async ({ adminOf }: Inside) => {
      const query = KnowledgeSearch.parse({ query: 'oats', datasetIds: [datasetId], hybridAlpha: 0.5 })
      const { results } = await searchKnowledge(adminOf(team.tenantId), query)
      return results.map(({ rankSource }) => rankSource)
    }
    await ingestNext(without)
    await ingestNext(without)
    await embedAgain(without.system())
    expect(await filesOf(app, 'indexed')).toHaveLength(2)
    for (const inside of [first, second]) {
      expect(await sources(inside)).toEqual(['keyword', 'keyword'])
      await Promise.all([embedAgain(inside.system()), embedAgain(inside.system())])
      expect(await filesOf(app, 'pending')).toHaveLength(2)
      await ingestNext(inside)
      expect(await sources(inside)).toEqual(['keyword', 'keyword'])
      await ingestNext(inside)
      expect(await sources(inside)).toEqual(['hybrid', 'hybrid'])
      await embedAgain(inside.system())
      expect(await filesOf(app, 'indexed')).toHaveLength(2)
    }
    const jobs = await app.db.sql.all("select id from job where kind = 'knowledge.ingest'")
    expect(jobs).toHaveLength(2)
  })

  it('asks for some files at a time, and for those that have failed after an hour', async () => {
    await using corpus = await createCorpus(true)
    const { app, inside } = corpus
    for (let n = 0; n < 101; n += 1) await corpus.addFile([{ text: `loaf ${n}`, model: 'other' }])
    const ctx = inside.system()
    await embedAgain(ctx)
    await embedAgain(ctx)
    const asked = await filesOf(app, 'pending')
    expect(asked).toHaveLength(100)
    await app.db.write((tx) => tx.run('delete from job'))
    const now = ctx.clock.now()
    for (const { id } of asked) await corpus.changeFile(id, { status: 'error', updatedOn: new Date(now) })
    const at = (ms: number) => ({ ...ctx, clock: { ...ctx.clock, now: () => now + ms } })
    await embedAgain(at(3_599_000))
    expect(await filesOf(app, 'pending')).toHaveLength(1)
    await embedAgain(at(3_600_000))
    expect(await filesOf(app, 'pending')).toHaveLength(100)
  })
})
