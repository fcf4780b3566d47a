import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { fileToIngest, ingestJob } from '../ingestion/jobs.ts'
import { KnowledgeFile, type KnowledgeFileRow } from './entities.ts'

/** A file that Copydesk itself keeps in a dataset, whose bytes are stored already. */
export type KeptFile = Pick<
  KnowledgeFileRow,
  | 'id'
  | 'tenantId'
  | 'datasetId'
  | 'fileName'
  | 'mimeType'
  | 'fileSizeBytes'
  | 'sha256'
  | 'source'
  | 'url'
  | 'publishedAt'
>

/** Adds such a file, or gives the one with its id new bytes, and has it ingested; what is searched of it stays until then. */
export async function replaceFile(txn: Transaction, kept: KeptFile): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const known = await txn.em.findOne(KnowledgeFile, { id: kept.id }, { lockMode })
  const now = txn.clock.date()
  const changes = { ...kept, status: 'pending' as const, progress: 0, errorMessage: null, updatedOn: now }
  const file = known
    ? Object.assign(known, changes)
    : txn.em.create(KnowledgeFile, {
        ...changes,
        enabled: true,
        chunkSize: null,
        chunkOverlap: null,
        parseType: null,
        parserEngine: null,
        chunksCount: 0,
        version: 0,
        model: null,
        language: null,
        createdOn: now,
      })
  txn.enqueue(ingestJob, fileToIngest(file))
}
