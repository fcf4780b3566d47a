import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { narrowed, oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { Dataset } from '../datasets/entities.ts'
import { fileProgress } from '../datasets/queries.ts'
import { maxTerminalBytes, type TerminalUpload } from '../datasets/schemas.ts'
import { type KnowledgeUpload, uploadFiles } from '../datasets/upload.ts'

/** What someone is told who uploads a file and waits. */
export type UploadNews =
  | { event: 'upload_started'; data: { fileName: string; fileSize: number; datasetId: string } }
  | { event: 'upload_complete'; data: { ragFileId: string; status: 'pending' } }
  | {
      event: 'ingestion_progress'
      data: { ragFileId: string; stage: 'parsing' | 'embedding'; progressPct: number }
    }
  | { event: 'ingestion_complete'; data: { ragFileId: string; chunksIndexed: number; status: 'indexed' } }
  | { event: 'ingestion_error'; data: { ragFileId: string | null; error: string; stage: string } }

interface Listener {
  readonly closed: boolean
  send(news: UploadNews): boolean
  close(): void
  onClose(fn: () => void): void
}

/** How often it is asked how far the work is: another process may be doing it. */
const lookMs = 500

/**
 * Takes one file and tells how its ingestion goes, until it has ended or the listener goes. Serves `POST /cli/v1/kb/upload`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the tenant is not named, on `file` for what cannot be read; `FORBIDDEN`; `PAYLOAD_TOO_LARGE`
 *   when a quota is used up
 */
export async function uploadFromTerminal(
  caller: Ctx,
  { tenantId, datasetSlug, parseOnUpload, parser }: TerminalUpload,
  { file: [file] }: { file: readonly KnowledgeUpload[] },
  listener: Listener,
): Promise<void> {
  const ctx = tenantId === undefined ? caller : narrowed(caller, tenantId)
  const dataset = await transact(ctx, (txn) =>
    txn.em.findOne(Dataset, { tenantId: oneTenant(ctx), slug: datasetSlug }),
  )
  if (!dataset || !file) throw notFound('dataset')
  if (file.tooLarge) {
    const error = `${file.name} is larger than ${maxTerminalBytes / 2 ** 20} MB`
    listener.send({ event: 'ingestion_error', data: { ragFileId: null, error, stage: 'upload' } })
    return listener.close()
  }
  const options = {
    parseOnUpload,
    parserEngine: parser === 'advanced' ? ('ADVANCED' as const) : ('NATIVE' as const),
  }
  const { uploadedFiles } = await uploadFiles(ctx, dataset.id, options, { files: [file] })
  const ragFileId = uploadedFiles[0]?.id as string
  const started = { fileName: file.name, fileSize: file.size, datasetId: dataset.id }
  listener.send({ event: 'upload_started', data: started })
  listener.send({ event: 'upload_complete', data: { ragFileId, status: 'pending' } })
  if (!parseOnUpload) return listener.close()
  follow(ctx, dataset.id, ragFileId, listener)
}

/** Looks until there is nothing more to tell. */
function follow(ctx: Ctx, datasetId: string, ragFileId: string, listener: Listener): void {
  let told = ''
  let stage = 'parsing'
  let cancel = () => {}
  const look = async () => {
    const { status, progress, chunksCount, errorMessage } = await fileProgress(ctx, datasetId, ragFileId)
    if (status === 'indexed') {
      listener.send({ event: 'ingestion_complete', data: { ragFileId, chunksIndexed: chunksCount, status } })
      return listener.close()
    }
    if (status === 'error' || status === 'disabled') {
      const error = errorMessage ?? 'The file was disabled'
      listener.send({ event: 'ingestion_error', data: { ragFileId, error, stage } })
      return listener.close()
    }
    if (status !== 'pending' && told !== `${status} ${progress}`) {
      stage = status
      told = `${status} ${progress}`
      listener.send({
        event: 'ingestion_progress',
        data: { ragFileId, stage: status, progressPct: progress },
      })
    }
    lookLater()
  }
  const lookLater = () => {
    if (!listener.closed) cancel = ctx.clock.after(lookMs, () => void look().catch(giveUp))
  }
  const giveUp = () => {
    // It was deleted meanwhile, or the database is away: the file says what became of it.
    listener.send({
      event: 'ingestion_error',
      data: { ragFileId, error: 'It is not known what became of the file', stage },
    })
    listener.close()
  }
  listener.onClose(() => cancel())
  lookLater()
}
