import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import { transact } from '../../../kernel/transact.ts'
import type { WrittenFile } from '../../../platform/blobs/blobs.ts'
import { detectKind } from '../../../platform/parsing/kinds.ts'
import { documentTypes, ParseFault } from '../../../platform/parsing/parsed.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { fileToIngest, ingestJob, tidyKnowledgeJob } from '../ingestion/jobs.ts'
import { requireOverlap } from './config.ts'
import { type DatasetRow, KnowledgeFile, type KnowledgeFileRow } from './entities.ts'
import { fileKey, findDataset } from './files.ts'
import { maxBatchBytes, maxFileBytes, type UploadOptions, type UploadReceipt } from './schemas.ts'

/** A file as it was uploaded. */
export interface KnowledgeUpload {
  name: string
  size: number
  /** Cut at the largest size that a file may have. */
  tooLarge: boolean
  /** In memory, or in a file until the answer is given. */
  content: Uint8Array | WrittenFile
}

/** More than this many a dataset cannot have. */
const mostFiles = 10_000

/** An upload that has not been noted by then never will be, milliseconds. */
const noteMs = 3_600_000

/**
 * Takes files into a dataset, all or none of them; they are ingested afterwards. Serves `POST …/datasets/:datasetId/files/upload`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `files` for a file that is too large or that cannot be read, on
 *   `chunkOverlap` when it is not less than the chunk size; `PAYLOAD_TOO_LARGE` for more than 200 MB, or when a quota is used up
 */
export async function uploadFiles(
  ctx: Ctx,
  datasetId: string,
  { parseOnUpload = true, ...options }: UploadOptions & { parseOnUpload?: boolean },
  { files }: { files: readonly KnowledgeUpload[] },
): Promise<UploadReceipt> {
  const dataset = await transact(ctx, (txn) => findDataset(txn, datasetId))
  requireOverlap({ ...dataset, ...withoutUndefined(options) })
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > maxBatchBytes)
    throw new DomainError('PAYLOAD_TOO_LARGE', 'The files of one upload may have 200 MB together', {
      field: 'files',
    })
  const mimeTypes: string[] = []
  for (const file of files) mimeTypes.push(await mimeTypeOf(file, files.length === 1))
  const { tenantId } = dataset
  await requireRoom(ctx, tenantId, total)
  const ids = files.map(() => ctx.newId())
  // Should this process die before the rows are there, the bytes are removed all the same.
  const runAt = new Date(ctx.clock.now() + noteMs)
  await ctx.services.jobs.add(
    ids.map((fileId) => toNewJob(tidyKnowledgeJob, { tenantId, payload: { tenantId, fileId }, runAt })),
  )
  const kept: string[] = []
  for (const [n, file] of files.entries()) {
    const key = fileKey({ tenantId, id: ids[n] as string })
    kept.push((await ctx.services.blobs.put(key, file.content)).sha256)
  }
  return transact(ctx, async (txn) => {
    await lockTenant(txn, tenantId)
    await requireRoom(txn, tenantId, total)
    if ((await txn.em.count(KnowledgeFile, { datasetId })) + files.length > mostFiles)
      throw new DomainError('UNPROCESSABLE', `A dataset holds at most ${mostFiles} files; delete some first`)
    const rows = files.map((file, n) =>
      addFile(txn, dataset, parseOnUpload, {
        ...options,
        id: ids[n] as string,
        fileName: file.name.slice(0, 255),
        mimeType: mimeTypes[n] as string,
        fileSizeBytes: file.size,
        sha256: kept[n] as string,
      }),
    )
    txn.audit({
      tenantId,
      resourceType: 'dataset',
      resourceId: datasetId,
      after: {
        files: rows.map(({ id, fileName, fileSizeBytes, sha256 }) => ({
          id,
          fileName,
          fileSizeBytes,
          sha256,
        })),
      },
    })
    return {
      uploadedFiles: rows.map(({ id, fileName }) => ({
        id,
        fileName,
        status: 'pending' as const,
        jobId: id,
      })),
    }
  })
}

/** @throws DomainError `VALIDATION_ERROR` on `files`, with the name of the file where there are several */
async function mimeTypeOf(file: KnowledgeUpload, isOnlyOne: boolean): Promise<string> {
  const refused = (why: string) => invalid('files', isOnlyOne ? why : `${file.name}: ${why}`)
  if (file.tooLarge) throw refused(`The file is larger than ${maxFileBytes / 2 ** 20} MB`)
  const kind = await detectKind(file.content, file.name).catch((error: unknown) => {
    throw error instanceof ParseFault ? refused(error.message) : error
  })
  if (!kind) throw refused('It is not known what kind of file this is')
  return documentTypes[kind]
}

type NewFile = Pick<KnowledgeFileRow, 'id' | 'fileName' | 'mimeType' | 'fileSizeBytes' | 'sha256'> &
  UploadOptions

function addFile(
  txn: Transaction,
  { id: datasetId, tenantId }: DatasetRow,
  atOnce: boolean,
  file: NewFile,
): KnowledgeFileRow {
  const now = txn.clock.date()
  const row = txn.em.create(KnowledgeFile, {
    ...file,
    chunkSize: file.chunkSize ?? null,
    chunkOverlap: file.chunkOverlap ?? null,
    parseType: file.parseType ?? null,
    parserEngine: file.parserEngine ?? null,
    tenantId,
    datasetId,
    source: 'upload',
    status: 'pending',
    progress: 0,
    enabled: true,
    errorMessage: null,
    chunksCount: 0,
    version: 0,
    model: null,
    language: null,
    url: null,
    publishedAt: null,
    createdOn: now,
    updatedOn: now,
  })
  if (atOnce) txn.enqueue(ingestJob, fileToIngest(row))
  return row
}

const withoutUndefined = (options: UploadOptions) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
