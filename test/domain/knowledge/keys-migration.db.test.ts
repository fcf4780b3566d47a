import { expect, it } from 'vitest'
import {
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../../../packages/core/src/platform/database/migrate.ts'
import { createCorpus } from './corpus.ts'

const step = '0038-knowledge-keys'

it('what was stored before the index had the datasets in it is found as before', async () => {
  await using corpus = await createCorpus()
  const { db } = corpus.app
  // Before the steps are taken back: the program writes columns of later ones.
  await corpus.addFile(['The oven needs a hot stone.', 'Bread is baked at night, and "rye" by day.'])
  while ((await migrationStatus(db)).executed.includes(step)) await migrateDown(db)
  await migrateUp(db)
  const later = await corpus.addFile(['An oven of stone.'])
  const other = await corpus.addDataset()
  await corpus.addFile(['The oven of the other dataset.'], { datasetId: other })
  const found = async (query: string) =>
    (await corpus.search(query)).results.map(({ content }) => content).toSorted()
  expect(await found('ovens')).toEqual(['An oven of stone.', 'The oven needs a hot stone.'])
  expect(await found('"hot stone"')).toEqual(['The oven needs a hot stone.', 'An oven of stone.'].toSorted())
  expect(await found('rye')).toEqual(['Bread is baked at night, and "rye" by day.'])
  await corpus.changeFile(later, { enabled: false })
  expect(await found('ovens')).toEqual(['The oven needs a hot stone.'])
})
