import { describe, expect, it } from 'vitest'
import { createKnowledgeCache } from '../../../packages/core/src/domain/knowledge/search/knowledge-cache.ts'
import { nearestChunks } from '../../../packages/core/src/domain/knowledge/search/nearest.ts'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { packVector } from '../../../packages/core/src/domain/knowledge/search/vectors.ts'
import { createCorpus } from './corpus.ts'
import { addTwoDatasets, alike, type Corpus, expectAsInMemory, forget, named } from './in-database.ts'
import { countRows, fillTable, hasPgvector, scatter } from './pgvector.ts'

const texts = ({ results }: KnowledgeResults) => results.map(({ content }) => content)

const run = ({ app }: Corpus, text: string, params: Array<string | Uint8Array> = []) =>
  app.db.write((tx) => tx.run(text, params))

/** Needs pgvector on the PostgreSQL server; where it is missing these are skipped. */
describe.runIf(hasPgvector)('searchKnowledge with pgvector', () => {
  it('finds the same, in the same order and with the same scores, as a comparison of all vectors in memory', async () => {
    await using corpus = await createCorpus(true)
    const other = await addTwoDatasets(corpus)
    await scatter(corpus)
    await fillTable(corpus)
    await expectAsInMemory(corpus, other)
  })

  it('has the database compare what memory has no room for', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(0, 100))
    // The database leaves it out itself: else it would have compared more than are searched, and would not be believed.
    await corpus.addFile(['loaf number 71 is searched no more'], { enabled: false })
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(101)
    await run(
      corpus,
      `update knowledge_vectors v set embedding = o.embedding from knowledge_vectors o
       where o.seq = (select seq from knowledge_chunks where ordinal = 71) and v.seq = (select seq from knowledge_chunks where ordinal = 5)`,
    )
    const search = () => corpus.search('loaf number 71 of 1 kinds of rye', { hybridAlpha: 1, topK: 2 })
    const [nearest = ''] = named(71, 72)
    expect(texts(await search())[0]).toBe(nearest)
    forget(corpus)
    expect(texts(await search())).toEqual(named(5, 6).concat(nearest))
  })

  it('keeps datasets in memory, and has the database compare another one that has no room beside them', async () => {
    await using corpus = await createCorpus(true)
    const other = await corpus.addDataset()
    await corpus.addFile(named(0, 100))
    await corpus.addFile(named(100, 200), { datasetId: other })
    await fillTable(corpus)
    const { services } = corpus.inside
    services.knowledgeCache = createKnowledgeCache({ mostBytes: 150 * (64 * 4 + 8) })
    const find = async (n: number, datasetId: string) =>
      texts(
        await corpus.search(named(n, n + 1)[0] ?? '', { hybridAlpha: 1, topK: 1, datasetIds: [datasetId] }),
      )
    const kept = () => [...services.knowledgeCache.vectors.keys()].map((key) => key.split(' ')[0])
    expect(await find(71, corpus.datasetId)).toEqual(named(71, 72))
    expect(await find(171, other)).toEqual(named(171, 172))
    expect(kept()).toEqual([corpus.datasetId])
    await run(corpus, 'truncate knowledge_vectors')
    expect(await find(171, other)).toEqual(named(171, 172))
    expect(kept()).toEqual([other])
  })

  it('leaves out vectors that are damaged', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(Array.from({ length: 60 }, (_, n) => `rye bread ${n}`))
    await scatter(corpus)
    const damaged = [
      Buffer.alloc(7),
      Buffer.alloc(0),
      Buffer.alloc(65 * 4, 1),
      Buffer.alloc(64 * 4),
      packVector(new Float32Array(64).fill(Number.NaN)),
      packVector(new Float32Array(64).fill(Number.POSITIVE_INFINITY)),
    ]
    for (const [n, vector] of damaged.entries())
      await run(corpus, 'update knowledge_chunks set vector = ? where text = ?', [vector, `rye bread ${n}`])
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(60)
    const search = () => corpus.search('rye bread', { hybridAlpha: 0.9, topK: 20 })
    const inMemory = await search()
    forget(corpus)
    expect((await search()).results).toEqual(alike(inMemory))
    const near = await corpus.search('rye bread', { hybridAlpha: 1, topK: 20 })
    expect(texts(near)).toHaveLength(20)
    expect(texts(near)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^rye bread [0-5]$/)]))
    expect(corpus.warnings).toEqual([])
  })

  it('finds nothing of a file from the moment it is disabled or deleted', async () => {
    await using corpus = await createCorpus(true)
    const files = [await corpus.addFile(['rye bread']), await corpus.addFile(['rye rolls'])]
    await corpus.addFile(['rye'])
    await fillTable(corpus)
    forget(corpus)
    const found = async () => texts(await corpus.search('rye bread', { hybridAlpha: 1 }))
    expect(await found()).toEqual(['rye bread', 'rye', 'rye rolls'])
    const [first = '', second = ''] = files
    await corpus.changeFile(first, { enabled: false })
    expect(await found()).toEqual(['rye', 'rye rolls'])
    await corpus.changeFile(first, { enabled: true })
    expect(await found()).toEqual(['rye bread', 'rye', 'rye rolls'])
    await corpus.removeFile(second)
    expect(await found()).toEqual(['rye bread', 'rye'])
    expect(await countRows(corpus)).toBe(2)
  })

  it('goes on without the database where that has not all vectors, or fails', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(0, 200))
    await corpus.addFile(['oats'])
    await scatter(corpus)
    forget(corpus)
    const search = () => corpus.search('loaf number 71', { hybridAlpha: 1, topK: 20 })
    const whole = await search()
    const expectWhole = async () => expect((await search()).results).toEqual(alike(whole))
    await fillTable(corpus)
    await expectWhole()
    const first = `(select c.seq from knowledge_chunks c where c.id = ?)`
    await run(corpus, `delete from knowledge_vectors where seq = ${first}`, [whole.results[0]?.chunkId ?? ''])
    await expectWhole()
    await run(corpus, 'truncate knowledge_vectors')
    await expectWhole()
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(201)
    expect(corpus.warnings).toEqual([])
    await run(corpus, `update knowledge_vectors set embedding = '[1,2]'::vector`)
    await expectWhole()
    expect(corpus.warnings).toEqual(['vectors were not compared by the database'])
  })

  it('goes on without the extension, and with it when that is there again', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(0, 100))
    await scatter(corpus)
    await fillTable(corpus)
    forget(corpus)
    const search = () => corpus.search('loaf number 71', { hybridAlpha: 1, topK: 20 })
    const whole = await search()
    await run(corpus, 'drop extension vector cascade')
    expect((await search()).results).toEqual(alike(whole))
    await fillTable(corpus)
    expect(await countRows(corpus)).toBe(100)
    expect((await search()).results).toEqual(alike(whole))
    expect(corpus.warnings).toEqual([])
  })

  it('finds nothing of another tenant', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(['rye bread'])
    const tenantId = await corpus.tenantOf('Mill')
    const datasetId = await corpus.addDataset(tenantId)
    await corpus.addFile(['rye bread of the mill'], { tenantId, datasetId })
    await fillTable(corpus)
    forget(corpus)
    const mill = { ...corpus.inside.adminOf(tenantId), log: corpus.ctx.log }
    const search = (datasetIds: string[]) => corpus.search('rye', { hybridAlpha: 1, datasetIds }, mill)
    expect(texts(await search([datasetId]))).toEqual(['rye bread of the mill'])
    await expect(search([corpus.datasetId])).rejects.toThrow('dataset')
    const [vector = new Float32Array()] =
      (await corpus.inside.services.embedder?.embed(['rye bread'], { purpose: 'query' }))?.vectors ?? []
    const near = (datasetIds: string[]) =>
      nearestChunks(mill, vector, { datasetIds, most: 50, also: new Set() })
    expect((await near([datasetId]))?.ranked).toHaveLength(1)
    expect(await near([corpus.datasetId])).toBeUndefined()
  })
})
