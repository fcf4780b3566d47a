import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { record, transact } from '../../../kernel/transact.ts'
import { fileToIngest, ingestJob, tidyKnowledgeJob } from '../ingestion/jobs.ts'
import { Dataset, type DatasetRow, KnowledgeFile, type KnowledgeFileRow } from './entities.ts'
import { getFile, notFoundIn } from './queries.ts'
import type { FileChange, FileDeletion, KnowledgeFileItem, ReindexReceipt } from './schemas.ts'

/** Files that a server of this kind ingests in a minute, for estimates. */
const filesPerMinute = 30

/** Where the bytes of a file are. */
export const fileKey = ({ tenantId, id }: { tenantId: string; id: string }) =>
  `tenants/${tenantId}/knowledge/${id}`

/**
 * Takes a file out of search or back into it, at once and without embedding it again; or has it ingested again beside what is
 * searched. Serves `PATCH …/files/:fileId`. @throws DomainError `NOT_FOUND`
 */
export async function changeFile(
  ctx: Ctx,
  datasetId: string,
  id: string,
  { enabled, reIngest }: FileChange,
): Promise<KnowledgeFileItem> {
  await transact(ctx, async (txn) => {
    const file = await lockFile(txn, datasetId, id)
    const before = { enabled: file.enabled, status: file.status }
    if (enabled !== undefined) file.enabled = enabled
    if (reIngest) ingestAgain(txn, file)
    file.updatedOn = txn.clock.date()
    recordFile(txn, file, 'file.change', { before, after: { enabled: file.enabled, status: file.status } })
  })
  return getFile(ctx, datasetId, id)
}

/** Deletes a file for good; it is out of search at once. Serves `DELETE …/files/:fileId`. @throws DomainError `NOT_FOUND` */
export function deleteFile(ctx: Ctx, datasetId: string, id: string): Promise<FileDeletion> {
  return transact(ctx, async (txn) => {
    const file = await lockFile(txn, datasetId, id)
    const { tenantId, chunksCount, fileName, sha256 } = file
    recordFile(txn, file, 'file.delete', { before: { fileName, sha256, chunksCount } })
    txn.em.remove(file)
    txn.enqueue(tidyKnowledgeJob, { tenantId, payload: { tenantId, fileId: id } })
    return { deleted: true as const, chunksRemoved: chunksCount }
  })
}

/** How many files are marked in one transaction, so that no one waits for long. */
const reindexBatch = 200

/**
 * Has every file of a dataset ingested again, with its present settings; what is searched stays until the new chunks of a file are
 * there. Those that are being ingested at this moment are ingested once more. Serves `POST …/datasets/:datasetId/re-index`.
 * @throws DomainError `NOT_FOUND`
 */
export async function reindex(ctx: Ctx, datasetId: string): Promise<ReindexReceipt> {
  const { tenantId } = await transact(ctx, (txn) => findDataset(txn, datasetId))
  let jobsQueued = 0
  let after = ''
  let isLast = false
  while (!isLast) {
    const ids = await transact(ctx, (txn) => ingestNext(txn, datasetId, after))
    jobsQueued += ids.length
    after = ids.at(-1) ?? after
    isLast = ids.length < reindexBatch
  }
  await record(ctx, { tenantId, resourceType: 'dataset', resourceId: datasetId, after: { jobsQueued } })
  return { jobsQueued, estimatedMinutes: Math.ceil(jobsQueued / filesPerMinute) }
}

/** @returns the ids of the files that are now to be ingested */
async function ingestNext(txn: Transaction, datasetId: string, after: string): Promise<string[]> {
  const files = await txn.em.find(
    KnowledgeFile,
    { datasetId, id: { $gt: after } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, limit: reindexBatch },
  )
  for (const file of files) ingestAgain(txn, file)
  return files.map(({ id }) => id)
}

/** Also of a file that is being ingested: that may have begun with other settings, and finds it `pending` at its end. */
function ingestAgain(txn: Transaction, file: KnowledgeFileRow): void {
  Object.assign(file, { status: 'pending', progress: 0, errorMessage: null })
  // Settings that came with the upload give way to those of the dataset, which is what people change.
  Object.assign(file, { chunkSize: null, chunkOverlap: null, parseType: null, parserEngine: null })
  txn.enqueue(ingestJob, fileToIngest(file))
}

/** @throws DomainError `NOT_FOUND` */
export async function findDataset(txn: Transaction, id: string): Promise<DatasetRow> {
  const dataset = await txn.em.findOne(Dataset, { id })
  if (!dataset) throw notFound('dataset')
  return dataset
}

async function lockFile(txn: Transaction, datasetId: string, id: string): Promise<KnowledgeFileRow> {
  const file = await txn.em.findOne(
    KnowledgeFile,
    { id, datasetId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  if (!file) throw await notFoundIn(txn, datasetId, 'file')
  return file
}

function recordFile(
  txn: Transaction,
  { id, tenantId }: KnowledgeFileRow,
  action: string,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({
    tenantId,
    resourceType: 'knowledge_file',
    resourceId: id,
    action: `knowledge.${action}`,
    ...what,
  })
}
