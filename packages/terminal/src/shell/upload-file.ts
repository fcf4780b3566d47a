import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { ApiError, type CallInput, type Client } from '@copydesk/client'
import type { UploadOutcome } from '../operations/knowledge-upload.ts'
import { Failure } from './failure.ts'

/** Limit of the server, bytes. */
const maxBytes = 10 * 1024 * 1024

type UploadFields = Readonly<Record<'tenantId' | 'datasetSlug' | 'parser', string>>

/**
 * Sends a file and waits until it can be searched.
 * @param onStage called with what is being done, such as `parsing 40 %`
 * @returns undefined when `signal` aborts; a refused file as a failed one
 * @throws Failure when the server cannot be reached; ApiError when it refuses the user
 */
export async function uploadFile(
  client: Client,
  path: string,
  fields: UploadFields,
  { signal, onStage }: { signal: AbortSignal; onStage(stage: string): void },
): Promise<UploadOutcome | undefined> {
  let sizeBytes: number | null = null
  let fileId: string | null = null
  const failed = (error: string): UploadOutcome => ({
    path,
    sizeBytes,
    status: 'failed',
    fileId,
    chunks: 0,
    error,
  })
  try {
    sizeBytes = (await stat(path)).size
    if (sizeBytes > maxBytes) return failed(`The file is larger than ${maxBytes / 2 ** 20} MB`)
    onStage('uploading')
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    body.append('file', await openAsBlob(path), basename(path))
    const input: CallInput<'cli', 'POST /kb/upload'> = { body, signal }
    for await (const { event, data } of client.stream('cli', 'POST /kb/upload', input)) {
      fileId = 'ragFileId' in data ? data.ragFileId : fileId
      if (event === 'upload_complete') onStage('waiting')
      if (event === 'ingestion_progress') onStage(`${data.stage} ${Math.round(data.progressPct)} %`)
      if (event === 'ingestion_complete')
        return { path, sizeBytes, status: 'indexed', fileId, chunks: data.chunksIndexed, error: null }
      if (event === 'ingestion_error') return failed(data.error)
    }
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof Error) || isFinal(error)) throw error
    return failed(error instanceof ApiError || fileId === null ? error.message : unknown)
  }
  return signal.aborted ? undefined : failed(unknown)
}

const unknown = 'The connection ended before the file was ready: `copydesk kb files` shows what became of it'

/** Whether the next file would fail as well. */
function isFinal(error: Error): boolean {
  if (error instanceof ApiError) return [401, 403, 404].includes(error.status)
  return error instanceof Failure
}
