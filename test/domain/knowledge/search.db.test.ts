import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { createCorpus } from './corpus.ts'

const texts = ({ results }: KnowledgeResults) => results.map(({ content }) => content)
const scores = ({ results }: KnowledgeResults) => results.map(({ score }) => score)
const sources = ({ results }: KnowledgeResults) => [...new Set(results.map(({ rankSource }) => rankSource))]

const bakery = [
  'Morning Oats are rolled oats with hazelnuts and no added sugar.',
  'Our Rye and Seed Loaf is a sourdough that is baked overnight.',
  'Shops open at seven in the morning; bakers start at three.',
  'Hazelnuts may be contained in every product of the bakery.',
  'The bakery delivers bread, rolls and oats to offices in Bristol.',
  'Order AB-1234 for the large loaf and AB-12345 for the small loaf.',
  'A café crème costs three pounds in v2.1 of the price list.',
  'Product AB 1234 was replaced, 1234 AB never was there.',
]

describe('searchKnowledge by words', () => {
  it('ranks alike on every database: rare words before frequent ones, short texts before long ones', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    const ranked = async (query: string) =>
      texts(await corpus.search(query)).map((text) => bakery.indexOf(text))
    expect(await ranked('oats with hazelnuts')).toEqual([0, 3, 4])
    expect(await ranked('bakery loaf')).toEqual([5, 3, 4, 1])
    expect(await ranked('bread in the morning')).toEqual([4, 0, 2])
  })

  it('finds other forms of a word, without accents, and in headings first', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile([
      ...bakery,
      { text: 'Where to find the place.', heading: 'Delivering › Scone' },
      { text: 'A scone is a place where to rest.' },
    ])
    expect(texts(await corpus.search('delivering'))).toEqual(['Where to find the place.', bakery[4]])
    expect(texts(await corpus.search('CAFE'))).toEqual([bakery[6]])
    expect(texts(await corpus.search('scones'))[0]).toBe('Where to find the place.')
  })

  it('puts texts first that share further words with the best ones', async () => {
    await using corpus = await createCorpus()
    const shared = 'The oven needs a hot stone for a dark crust, and steam in its first minutes.'
    const related = 'An oven on the ground floor of the house has a stone, and its steam gives a crust.'
    await corpus.addFile([
      'Oven: hot stone, steam and crust.',
      'An oven with stone and steam: crust.',
      'Oven, stone, crust, steam, flour.',
      'The oven on sale is cheaper until the end of the week.',
      'Tomorrow an oven is delivered to the shop in Bristol.',
      shared,
      related,
    ])
    const found = texts(await corpus.search('oven', { topK: 7 }))
    expect(found.slice(3, 5).toSorted()).toEqual([related, shared].toSorted())
    for (const score of scores(await corpus.search('oven', { topK: 7 }))) {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(1)
    }
  })

  it('puts what stands in quotation marks first', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(['Bread of rye, rye bread of seeds.', 'Seed bread.', 'We make breads of seed.'])
    expect(texts(await corpus.search('rye "breads of seed"'))[0]).toBe('We make breads of seed.')
    expect(texts(await corpus.search('rye “seed bread”'))[0]).toBe('Seed bread.')
  })

  it.each([
    ['AB-1234', 5],
    ['what does ab-1234 mean for a product of the bakery', 5],
    ['v2.1', 6],
  ])('puts the sign of %j first', async (query, index) => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    expect(texts(await corpus.search(query))[0]).toBe(bakery[index])
  })

  it('finds texts by words that stand in all texts, where there are no others', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(['To be or not to be.', ...bakery])
    expect(texts(await corpus.search('to be or not'))[0]).toBe('To be or not to be.')
    expect(texts(await corpus.search('is there rye'))).toEqual([bakery[1]])
  })

  it('takes no part of a query for an operator', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    const hostile = [
      'oats*',
      'text:oats',
      '-oats',
      'NEAR(oats, 2)',
      'oats AND',
      '"oats',
      '(oats',
      "oats' | !x & :*",
      '^oats \\',
      '{text} : oats',
      'oats\0 rye',
    ]
    for (const query of hostile) expect(texts(await corpus.search(query)), query).toContain(bakery[0])
  })

  it('answers whatever is asked, with scores from 0 to 1 in their order', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    const word = fc.constantFrom('oats', 'AND', 'OR', 'NOT', 'NEAR', 'AB-1234', 'loaf', 'the')
    const sign = fc.constantFrom('"', '*', ':', '(', ')', '^', '-', '\0', "'", '\\', '&', '|', '!', ' ', '“')
    const asked = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1_000 }),
      fc
        .array(fc.oneof(word, sign, fc.string()), { maxLength: 200 })
        .map((all) => all.join('').slice(0, 1_000)),
    )
    await fc.assert(
      fc.asyncProperty(
        asked.filter((query) => query.trim() !== ''),
        async (query) => {
          const found = scores(await corpus.search(query))
          expect(found.every((score) => score > 0 && score <= 1)).toBe(true)
          expect(found).toEqual(found.toSorted((a, b) => b - a))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('looks at the first 64 words of a query', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    const others = Array.from({ length: 63 }, (_, index) => `word${index}`).join(' ')
    expect(texts(await corpus.search(`${others} rye`))).toEqual([bakery[1]])
    expect(texts(await corpus.search(`${others} word rye`))).toEqual([])
  })

  it('gives equal ones in the order of the file', async () => {
    await using corpus = await createCorpus()
    const first = await corpus.addFile(['Rye bread.', 'Rye bread.'])
    const second = await corpus.addFile(['Rye bread.'])
    const { results } = await corpus.search('rye')
    expect(results.map(({ fileId }) => fileId)).toEqual([first, first, second])
    expect(new Set(results.map(({ score }) => score)).size).toBe(1)
  })

  it('keeps to topK and minScore', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(bakery)
    const all = await corpus.search('oats hazelnuts bakery')
    expect(all.results).toHaveLength(3)
    const [best = 0, second = 0] = scores(all)
    expect(best).toBeGreaterThan(second)
    expect(await corpus.search('oats hazelnuts bakery', { topK: 2 })).toMatchObject({
      results: all.results.slice(0, 2),
    })
    expect(scores(await corpus.search('oats hazelnuts bakery', { minScore: best }))).toEqual([best])
  })

  it('finds the few chunks that are searched among many that are not', async () => {
    await using corpus = await createCorpus()
    await corpus.addFile(Array<string>(400).fill('Rye.'), { enabled: false })
    await corpus.addFile(['Much more is said here of bread than of rye.'])
    // Of many terms, fewer chunks of each are ranked.
    for (const query of ['rye', 'rye oats malt bran spelt emmer durum millet teff sorghum fonio buckwheat'])
      expect(texts(await corpus.search(query))).toEqual(['Much more is said here of bread than of rye.'])
  })

  it('says of a chunk what is known of it', async () => {
    await using corpus = await createCorpus()
    const publishedAt = new Date(Date.UTC(2026, 2, 1))
    await corpus.addFile(['Plain rye, no less.'])
    await corpus.addFile([{ text: 'Rye.', heading: 'Loaves', page: 3 }], {
      fileName: 'loaves.pdf',
      url: 'https://hearth.example/loaves',
      publishedAt,
    })
    const { results, searchMs } = await corpus.search('rye')
    expect(searchMs).toBeGreaterThan(0)
    expect(results).toMatchObject([
      {
        fileName: 'loaves.pdf',
        datasetId: corpus.datasetId,
        content: 'Rye.',
        rankSource: 'keyword',
      },
      { content: 'Plain rye, no less.' },
    ])
    const said = { pageNumber: 3, heading: 'Loaves', url: 'https://hearth.example/loaves', publishedAt }
    expect(results.map(({ metadata }) => metadata)).toEqual([said, {}])
  })
})

describe.each([
  ['by words', undefined, 'keyword'],
  ['by vectors', true, 'vector'],
] as const)('searchKnowledge %s', (_how, embeddings, source) => {
  it('finds nothing in files that are disabled, deleted or not ingested, nor in other versions', async () => {
    await using corpus = await createCorpus(embeddings)
    const search = async () => texts(await corpus.search('rye', { hybridAlpha: 1 }))
    const disabled = await corpus.addFile(['rye one'])
    const deleted = await corpus.addFile(['rye two'])
    const changing = await corpus.addFile(['rye three'], { chunksVersion: 2 })
    await corpus.addFile(['rye four'], { version: 0, chunksVersion: 0 })
    expect((await search()).toSorted()).toEqual(['rye one', 'rye two'])
    expect(sources(await corpus.search('rye', { hybridAlpha: 1 }))).toEqual([source])
    await corpus.changeFile(disabled, { enabled: false })
    expect(await search()).toEqual(['rye two'])
    await corpus.removeFile(deleted)
    expect(await search()).toEqual([])
    await corpus.changeFile(changing, { version: 2 })
    expect(await search()).toEqual(['rye three'])
    await corpus.changeFile(disabled, { enabled: true })
    expect((await search()).toSorted()).toEqual(['rye one', 'rye three'])
  })

  it('knows no dataset of another tenant, and nothing outside of those that are asked for', async () => {
    await using corpus = await createCorpus(embeddings)
    await corpus.addFile(['rye bread'])
    const other = await corpus.addDataset()
    await corpus.addFile(['rye bread of others'], { datasetId: other })
    expect(texts(await corpus.search('rye'))).toEqual(['rye bread'])
    expect(texts(await corpus.search('rye', { datasetIds: [corpus.datasetId, other] }))).toHaveLength(2)
    const stranger = corpus.inside.adminOf(await corpus.tenantOf('Stranger'))
    const foreign = await corpus.addDataset(await corpus.tenantOf('Foreign'))
    for (const [by, datasetIds] of [
      [stranger, [corpus.datasetId]],
      [corpus.ctx, [corpus.datasetId, foreign]],
      [corpus.ctx, [corpus.inside.newId()]],
    ] as const)
      await expect(corpus.search('rye', { datasetIds: [...datasetIds] }, by)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'There is no dataset with this id',
      })
  })
})
