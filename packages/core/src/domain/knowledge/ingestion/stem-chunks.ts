import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { Dataset } from '../datasets/entities.ts'
import type { StemmedLanguage } from '../stemming/function-words.ts'
import type { NewChunk } from './embed.ts'

/** A chunk with what the index of words has in place of its text. */
export interface IndexedChunk extends NewChunk {
  headingStems: string | null
  textStems: string | null
}

/** Batches of chunks of one tenant that wait for a thread. */
const mostWaiting = 100

/** Gives chunks in another language than English the stems of their words; English is stemmed by the database. */
export async function withStems(
  { services: { threads } }: Ctx,
  tenantId: string,
  { language, chunks }: { language: StemmedLanguage; chunks: readonly NewChunk[] },
  signal: AbortSignal,
): Promise<IndexedChunk[]> {
  if (language === 'en') return chunks.map((chunk) => ({ ...chunk, headingStems: null, textStems: null }))
  const texts = chunks.flatMap(({ heading, text }) => [heading ?? '', text])
  const owner = { owner: `knowledge:${tenantId}`, maxWaiting: mostWaiting, signal }
  const stems = await threads.run('stems', { language, texts }, owner)
  return chunks.map((chunk, n) => ({
    ...chunk,
    headingStems: chunk.heading === null ? null : (stems[2 * n] ?? null),
    textStems: stems[2 * n + 1] ?? null,
  }))
}

/** Notes that a dataset has files in a language, so that queries are stemmed by its rules too. */
export async function addLanguage(
  txn: Transaction,
  datasetId: string,
  language: StemmedLanguage,
): Promise<void> {
  const known = await txn.em.findOneOrFail(Dataset, { id: datasetId })
  if (has(known.languages, language)) return
  const dataset = await txn.em.findOneOrFail(
    Dataset,
    { id: datasetId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  if (!has(dataset.languages, language))
    dataset.languages = [...(dataset.languages ?? ['en' as const]), language].toSorted()
}

const has = (languages: readonly StemmedLanguage[] | null, language: StemmedLanguage) =>
  (languages ?? ['en']).includes(language)
