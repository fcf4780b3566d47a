import { expect } from 'vitest'
import { createKnowledgeCache } from '../../../packages/core/src/domain/knowledge/search/knowledge-cache.ts'
import type { KnowledgeResults } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import type { createCorpus } from './corpus.ts'

export type Corpus = Awaited<ReturnType<typeof createCorpus>>

/** Leaves no room in memory for vectors, so that the database compares them. */
export function forget({ inside }: Pick<Corpus, 'inside'>): void {
  inside.services.knowledgeCache = createKnowledgeCache({ mostBytes: 1 })
}

/** Texts that differ by their number. */
export const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `loaf number ${from + n} of ${(from + n) % 7} kinds of rye`)

/** Results whose scores differ by what 32-bit floats differ by. */
export const alike = ({ results }: KnowledgeResults) =>
  results.map((result) => ({ ...result, score: expect.closeTo(result.score, 5) }))

/**
 * Fills two datasets, with files among them that are not searched. Several statements compare the larger one, and chunks of the
 * other stand between its own.
 * @returns the other dataset
 */
export async function addTwoDatasets({ addFile, addDataset }: Corpus): Promise<string> {
  const other = await addDataset()
  await addFile(named(0, 500))
  await addFile(named(500, 600), { datasetId: other })
  await addFile(['loaf number 1 is searched no more'], { enabled: false })
  await addFile(['loaf number 2 of an older version'], { chunksVersion: 2 })
  await addFile(named(600, 1_000))
  return other
}

/** Searches these datasets with room in memory and without, and expects the same results, in the same order, with the same scores. */
export async function expectAsInMemory(corpus: Corpus, other: string): Promise<void> {
  const { datasetId, search, inside } = corpus
  const queries = ['loaf number 871', 'kinds of rye', 'number 3', 'oats']
  for (const hybridAlpha of [1, 0.5])
    for (const datasetIds of [[datasetId], [other, datasetId]])
      for (const query of queries) {
        inside.services.knowledgeCache = createKnowledgeCache()
        const inMemory = await search(query, { hybridAlpha, datasetIds, topK: 20 })
        forget(corpus)
        const found = await search(query, { hybridAlpha, datasetIds, topK: 20 })
        expect(found.results).toEqual(alike(inMemory))
        expect(found.results).toHaveLength(20)
      }
  expect(corpus.warnings).toEqual([])
}
