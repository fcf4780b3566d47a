import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import {
  type DatasetRow,
  KnowledgeChunk,
  KnowledgeFile,
  type KnowledgeFileRow,
} from '../datasets/entities.ts'
import type { StemmedLanguage } from '../stemming/function-words.ts'
import { lastVersion } from './chunk-queries.ts'
import { tidyKnowledgeJob } from './jobs.ts'
import { addLanguage, type IndexedChunk } from './stem-chunks.ts'

/** So many chunks, with their words in the index, take long enough to be stored beside the event loop. */
const manyChunks = 8

/** A file with how it is to be read. */
export type FileToIngest = Pick<
  KnowledgeFileRow,
  'id' | 'tenantId' | 'datasetId' | 'fileName' | 'mimeType' | 'fileSizeBytes' | 'sha256'
> & {
  settings: Pick<DatasetRow, 'chunkSize' | 'chunkOverlap' | 'parseType' | 'parserEngine'>
}

/** What has been made of a file. */
type Made = Pick<KnowledgeFileRow, 'chunksCount' | 'model'> & { language: StemmedLanguage }

export interface Stored {
  version: number
  /** Absent while these are not all chunks; see `searchIn`. */
  isCurrent?: boolean
}

/**
 * Stores chunks under a version, of the first ones under a new one: an ingestion whose lease has ended may still be under way.
 * @param chunks with `made`, they are the last ones, and searched from now on
 * @returns undefined when the file was deleted meanwhile
 */
export function storeChunks(
  ctx: Ctx,
  file: FileToIngest,
  chunks: { version: number | undefined; rows: readonly IndexedChunk[]; progress: number; made?: Made },
): Promise<Stored | undefined> {
  const { rows, progress, made } = chunks
  const work = async (txn: Transaction) => {
    const row = await lockFile(txn, file)
    if (!row) return undefined
    if (row.status !== 'pending') Object.assign(row, embedding(progress))
    const version = chunks.version ?? (await lastVersion(txn, file.id)) + 1
    const { id: fileId, tenantId, datasetId } = file
    for (const chunk of rows)
      txn.insert(KnowledgeChunk, { ...chunk, id: txn.newId(), tenantId, datasetId, fileId, version })
    return { version, ...(made && { isCurrent: await searchIn(txn, file, row, { ...made, version }) }) }
  }
  return transact(ctx, work, { inThread: rows.length >= manyChunks })
}

/** The same as `searchIn`, for chunks that are stored. */
export function publish(ctx: Ctx, file: FileToIngest, made: Made & { version: number }): Promise<boolean> {
  return transact(ctx, async (txn) => {
    const row = await lockFile(txn, file)
    return row === null || searchIn(txn, file, row, made)
  })
}

const lockFile = (txn: Transaction, { id }: Pick<KnowledgeFileRow, 'id'>) =>
  txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })

/**
 * Makes the new chunks those that are searched, and has the others removed.
 * @param file as it was read
 * @param row as it is now
 * @returns false when it was asked for again meanwhile: it may have other bytes or settings than those that were read
 */
async function searchIn(
  txn: Transaction,
  { sha256 }: FileToIngest,
  row: KnowledgeFileRow,
  made: Made & { version: number },
): Promise<boolean> {
  // Of two ingestions the newer one counts.
  if (row.version > made.version) return true
  const { id: fileId, tenantId, datasetId } = row
  const isCurrent = row.sha256 === sha256 && row.status !== 'pending'
  const state = isCurrent
    ? { status: 'indexed' as const, progress: 100 }
    : { status: 'pending' as const, progress: 0 }
  Object.assign(row, { ...made, ...state, errorMessage: null, updatedOn: txn.clock.date() })
  await addLanguage(txn, datasetId, made.language)
  // Before the first version there is none to be removed.
  if (made.version > 1) txn.enqueue(tidyKnowledgeJob, { tenantId, payload: { tenantId, fileId } })
  return isCurrent
}

/** A file whose chunks are being stored, per cent of the work. */
export const embedding = (progress: number) => ({ status: 'embedding' as const, progress })

/** A file that was asked for again meanwhile stays `pending`. */
export function setState(
  ctx: Ctx,
  id: string,
  state: Partial<Pick<KnowledgeFileRow, 'status' | 'progress' | 'errorMessage' | 'awaitsMoney'>>,
): Promise<void> {
  return transact(ctx, async (txn) => {
    const file = await lockFile(txn, { id })
    if (file && file.status !== 'pending') Object.assign(file, { ...state, updatedOn: txn.clock.date() })
  })
}
