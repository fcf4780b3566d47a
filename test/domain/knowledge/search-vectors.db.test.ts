import { describe, expect, it } from 'vitest'
import { createKnowledgeCache } from '../../../packages/core/src/domain/knowledge/search/knowledge-cache.ts'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { modelKey, packVector, toPage } from '../../../packages/core/src/domain/knowledge/search/vectors.ts'
import { vectorOf } from '../../kit/embedding-server.ts'
import { createCorpus } from './corpus.ts'

const texts = ({ results }: KnowledgeResults) => results.map(({ content }) => content)
const sources = ({ results }: KnowledgeResults) => [...new Set(results.map(({ rankSource }) => rankSource))]

/** A model to which `grain` means the same as `rye bread`. */
const knowing = ({ body }: { body: { input: string[] } }) => ({
  vectors: body.input.map((text) => vectorOf(text.replace('grain', 'rye bread'), 64)),
})

describe('searchKnowledge by vectors', () => {
  it('finds what means the same by vectors, what reads the same by words, and either by both', async () => {
    await using corpus = await createCorpus(knowing)
    await corpus.addFile(['rye bread', 'grains of sand', 'rolled oats'])
    const vectors = await corpus.search('grain', { hybridAlpha: 1 })
    expect(texts(vectors)).toEqual(['rye bread'])
    expect(vectors.results[0]?.score).toBeCloseTo(1, 5)
    expect(sources(vectors)).toEqual(['vector'])
    const words = await corpus.search('grain', { hybridAlpha: 0 })
    expect([texts(words), sources(words)]).toEqual([['grains of sand'], ['keyword']])
    expect(corpus.server?.calls).toHaveLength(1)
    const both = await corpus.search('grain', { hybridAlpha: 0.7 })
    expect([texts(both), sources(both)]).toEqual([['rye bread', 'grains of sand'], ['hybrid']])
    const [wordScore = 0] = words.results.map(({ score }) => score)
    expect(both.results.map(({ score }) => score)).toEqual([
      expect.closeTo(0.7, 5),
      expect.closeTo(0.3 * wordScore, 5),
    ])
  })

  it('puts signs of the query first, whatever else is near', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(['what is the price of bread', 'AB-1234: four pounds'])
    expect(texts(await corpus.search('what is the price of AB-1234'))[0]).toBe('AB-1234: four pounds')
  })

  it('searches a dataset by words until all of its files have vectors of the model', async () => {
    await using corpus = await createCorpus(true)
    const { datasetId } = corpus
    const outdated = await corpus.addFile([{ text: 'rye bread', model: 'other' }])
    await corpus.addFile(['bread'])
    const whole = await corpus.addDataset()
    await corpus.addFile(['bread rolls'], { datasetId: whole })
    const empty = await corpus.addDataset()
    const search = async (hybridAlpha = 1) => {
      const datasetIds = [datasetId, whole, empty]
      const { results } = await corpus.search('rye bread', { hybridAlpha, datasetIds })
      return new Map(results.map(({ content, rankSource, score }) => [content, { rankSource, score }]))
    }
    const before = await search()
    expect([...before.keys()].toSorted()).toEqual(['bread', 'bread rolls', 'rye bread'])
    expect(before.get('bread rolls')).toMatchObject({ rankSource: 'vector' })
    expect(before.get('bread')).toMatchObject({ rankSource: 'keyword' })
    expect(before.get('rye bread')).toEqual((await search(0)).get('rye bread'))
    await corpus.changeFile(outdated, { enabled: false })
    expect((await search()).get('bread')).toMatchObject({ rankSource: 'vector' })
  })

  it('finds nothing by a vector of zeros', async () => {
    await using corpus = await createCorpus(true)
    await corpus.addFile(['…', 'rye bread'])
    expect(texts(await corpus.search('rye', { hybridAlpha: 1 }))).toEqual(['rye bread'])
    expect(texts(await corpus.search('!?!', { hybridAlpha: 1 }))).toEqual([])
  })

  it('searches by words while the model is away, and says so in the log', async () => {
    await using corpus = await createCorpus(() => ({ status: 401 }))
    await corpus.addFile(['rye bread', 'oats'])
    const found = await corpus.search('rye')
    expect([texts(found), sources(found)]).toEqual([['rye bread'], ['keyword']])
    expect(corpus.warnings).toEqual(['a query was not embedded and is searched by words'])
  })

  it('reads the vectors of a dataset once, until other chunks are searched', async () => {
    await using corpus = await createCorpus(true)
    const size = () => corpus.inside.services.knowledgeCache.vectors.calculatedSize
    await corpus.addFile(Array.from({ length: 900 }, (_, index) => `loaf number ${index}`))
    expect(texts(await corpus.search('loaf number 871', { topK: 1 }))).toEqual(['loaf number 871'])
    const before = size()
    expect(before).toBeGreaterThan(900 * 64 * 4)
    await corpus.addFile(['rye bread'])
    expect(texts(await corpus.search('rye bread', { hybridAlpha: 1, topK: 1 }))).toEqual(['rye bread'])
    expect(size()).toBe(before + 64 * 4 + 8)
  })

  it('compares the vectors of a dataset that is too large for memory while it reads them', async () => {
    await using corpus = await createCorpus(true)
    const { services } = corpus.inside
    await corpus.addFile(Array.from({ length: 900 }, (_, index) => `loaf number ${index}`))
    const search = () => corpus.search('loaf number 871', { hybridAlpha: 1 })
    const { results } = await search()
    const mostBytes = 900 * (64 * 4 + 8)
    services.knowledgeCache = createKnowledgeCache({ mostBytes: mostBytes - 1 })
    // A database that compares them itself does so with 32 bits.
    const alike = results.map((result) => ({ ...result, score: expect.closeTo(result.score, 5) }))
    expect(await search()).toMatchObject({ results: alike })
    expect(services.knowledgeCache.vectors.size).toBe(0)
    services.knowledgeCache = createKnowledgeCache({ mostBytes })
    expect(await search()).toMatchObject({ results })
    expect(services.knowledgeCache.vectors.calculatedSize).toBe(mostBytes)
  })
})

describe('packVector', () => {
  it('stores 32-bit floats, little-endian', () => {
    const vector = Float32Array.of(1, -0.5)
    expect(packVector(vector).toString('hex')).toBe('0000803f000000bf')
    expect(toPage([{ seq: 7, vector: packVector(vector) }], 2)).toEqual({ seqs: [7], numbers: vector })
  })
})

describe('modelKey', () => {
  it('differs by provider, model and dimensions', () => {
    expect(modelKey('custom', 'm', 64)).toBe('custom/m/64')
  })
})
