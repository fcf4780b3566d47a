import { describe, expect, it } from 'vitest'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { packVector } from '../../../packages/core/src/domain/knowledge/search/vectors.ts'
import { createCorpus } from './corpus.ts'
import { addTwoDatasets, alike, type Corpus, expectAsInMemory, forget, named } from './in-database.ts'

/** Puts something in the place of a chunk's vector. */
const damage = ({ app }: Corpus, text: string, vector: Uint8Array | string) =>
  app.db.write((tx) => tx.run('update knowledge_chunks set vector = ? where text = ?', [vector, text]))

describe('searchKnowledge with sqlite-vec', () => {
  it('finds the same, in the same order and with the same scores, as a comparison of all vectors in memory', async () => {
    await using corpus = await createCorpus(true)
    await expectAsInMemory(corpus, await addTwoDatasets(corpus))
    expect(await corpus.ctx.db.vectors()).toEqual({ by: 'sqlite-vec 0.1.9' })
  })

  it('leaves out vectors that are damaged', async () => {
    await using corpus = await createCorpus(true)
    const texts = Array.from({ length: 60 }, (_, n) => `rye bread ${n}`)
    await corpus.addFile(texts)
    await damage(corpus, 'rye bread 0', Buffer.alloc(7))
    await damage(corpus, 'rye bread 1', Buffer.alloc(0))
    await damage(corpus, 'rye bread 2', Buffer.alloc(65 * 4, 1))
    await damage(corpus, 'rye bread 3', Buffer.alloc(64 * 4))
    await damage(corpus, 'rye bread 4', packVector(new Float32Array(64).fill(Number.NaN)))
    const search = () => corpus.search('rye bread', { hybridAlpha: 1, topK: 20 })
    const inMemory = await search()
    forget(corpus)
    const { results } = await search()
    expect(results).toEqual(alike(inMemory))
    expect(results).toHaveLength(20)
    expect(results.map(({ content }) => content)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^rye bread [0-4]$/)]),
    )
    expect(corpus.warnings).toEqual([])
  })

  it('goes on without the database where a statement fails', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(named(0, 900))
    await damage(corpus, 'loaf number 500 of 3 kinds of rye', 'no vector at all'.repeat(16))
    const search = () => corpus.search('loaf number 871', { hybridAlpha: 1, topK: 20 })
    const inMemory = await search()
    forget(corpus)
    // Many are equally near, and a difference in the last bit changes their order.
    const scores = ({ results }: KnowledgeResults) => results.map(({ score }) => expect.closeTo(score, 5))
    const { results } = await search()
    expect(results.map(({ score }) => score)).toEqual(scores(inMemory))
    expect(results).toHaveLength(20)
    expect(corpus.warnings).toEqual(['vectors were not compared by the database'])
  })

  it('lets no statement load an extension', async () => {
    await using corpus = await createCorpus(true)
    const { db } = corpus.app
    expect(await db.vectors()).toEqual({ by: 'sqlite-vec 0.1.9' })
    await expect(db.sql.get("select load_extension('vec0')")).rejects.toThrow('not authorized')
    await expect(db.write((tx) => tx.get("select load_extension('vec0')"))).rejects.toThrow('not authorized')
  })
})
