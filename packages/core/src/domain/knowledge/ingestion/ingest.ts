import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { EmbeddingFault } from '../../../platform/embeddings/port.ts'
import { documentTypes, ParseFault } from '../../../platform/parsing/parsed.ts'
import { Dataset, KnowledgeFile } from '../datasets/entities.ts'
import { fileKey } from '../datasets/files.ts'
import { lastVersion } from './chunk-queries.ts'
import { embedChunks } from './embed.ts'
import { type PackedChunks, perBatch, unpackChunks } from './packed-chunks.ts'
import { createPurse, PurseEmpty } from './purse.ts'
import { withStems } from './stem-chunks.ts'
import { embedding, type FileToIngest, publish, type Stored, setState, storeChunks } from './store-chunks.ts'
import { addToVectorTable } from './vector-table.ts'

/** Documents of one tenant that wait for a thread. */
const mostWaiting = 100

/** Texts of up to this many bytes need no thread of their own, which takes longer to start than to read them. */
const shortText = 256 * 1_024
const plainTypes: ReadonlySet<string> = new Set([documentTypes.markdown, documentTypes.text])

/** What the work has come to before chunks are stored, in per cent. */
const parsedPercent = 20

/**
 * Handles `knowledge.ingest` jobs: reads a file, cuts it into chunks, embeds those that were not embedded before, stores them under
 * a new version and makes that the one that is searched. What was stored by a process that died is embedded no second time.
 */
export async function ingest(ctx: Ctx, { fileId }: { fileId: string }, signal: AbortSignal): Promise<void> {
  const begun = await begin(ctx, fileId)
  if (!begun) return
  try {
    const { count, batches, language } = await chunksOf(ctx, begun, signal)
    // Without embeddings the first chunks are stored at once, and the last ones searched.
    const { embedder } = ctx.services
    if (embedder) await setState(ctx, fileId, embedding(parsedPercent))
    let stored: Stored | undefined
    const models = new Set<string | null>()
    const made = () => ({ chunksCount: count, model: onlyOne(models), language })
    const purse = createPurse(ctx, begun.tenantId)
    for (const [n, batch] of batches.entries()) {
      signal.throwIfAborted()
      const embedded = await embedChunks(
        ctx,
        { tenantId: begun.tenantId, purse },
        unpackChunks(batch),
        signal,
      )
      const rows = await withStems(ctx, begun.tenantId, { language, chunks: embedded }, signal)
      for (const row of rows) models.add(row.model)
      const progress =
        parsedPercent + Math.floor(((99 - parsedPercent) * (n * perBatch + rows.length)) / count)
      const isLast = n === batches.length - 1
      stored = await storeChunks(ctx, begun, {
        version: stored?.version,
        rows,
        progress,
        ...(isLast && !embedder && { made: made() }),
      })
      if (!stored) return
    }
    let isCurrent = stored?.isCurrent
    if (isCurrent === undefined) {
      const version = stored?.version ?? (await lastVersion(ctx, fileId)) + 1
      await addToVectorTable(ctx, { id: fileId, version })
      isCurrent = await publish(ctx, begun, { ...made(), version })
    }
    // Its bytes or settings have changed meanwhile.
    if (!isCurrent) await ingest(ctx, { fileId }, signal)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    const awaitsMoney = error instanceof PurseEmpty
    await setState(ctx, fileId, { status: 'error', progress: 0, errorMessage: reason, awaitsMoney })
  }
}

function begin(ctx: Ctx, id: string): Promise<FileToIngest | undefined> {
  return transact(ctx, async (txn) => {
    const file = await txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!file || file.status === 'indexed' || file.status === 'error') return undefined
    const dataset = await txn.em.findOneOrFail(Dataset, { id: file.datasetId })
    Object.assign(file, { status: 'parsing', progress: 5, awaitsMoney: false, updatedOn: txn.clock.date() })
    const { tenantId, datasetId, fileName, mimeType, fileSizeBytes, sha256 } = file
    return {
      id,
      tenantId,
      datasetId,
      fileName,
      mimeType,
      fileSizeBytes,
      sha256,
      settings: {
        chunkSize: file.chunkSize ?? dataset.chunkSize,
        chunkOverlap: file.chunkOverlap ?? dataset.chunkOverlap,
        parseType: file.parseType ?? dataset.parseType,
        parserEngine: file.parserEngine ?? dataset.parserEngine,
      },
    }
  })
}

/** @throws ParseFault */
function chunksOf(ctx: Ctx, file: FileToIngest, signal: AbortSignal): Promise<PackedChunks> {
  return ctx.services.blobs.withFile(fileKey(file), (path) => chunksIn(ctx, path, file, signal))
}

async function chunksIn(
  ctx: Ctx,
  path: string | undefined,
  file: FileToIngest,
  signal: AbortSignal,
): Promise<PackedChunks> {
  const { parser, threads } = ctx.services
  const { tenantId, fileName, mimeType, fileSizeBytes, settings } = file
  if (path === undefined) throw new ParseFault('corrupt', 'The file is gone from the store. Upload it again.')
  const { chunkSize: size, chunkOverlap: overlap, parseType, parserEngine: engine } = settings
  const owner = { owner: `knowledge:${tenantId}`, maxWaiting: mostWaiting, signal }
  if (plainTypes.has(mimeType) && fileSizeBytes <= shortText) {
    const markdown = mimeType === documentTypes.markdown
    const found = await threads.run('cutText', { path, markdown, size, overlap, parseType }, owner)
    // What has no text at all the parser refuses with the reason.
    if (found.count > 0) return found
  }
  const document = { path, fileName, engine, size, overlap, parseType }
  return parser.run('cut', document, { owner: tenantId, signal })
}

function onlyOne(models: ReadonlySet<string | null>): string | null {
  const [model = null] = models
  return models.size === 1 ? model : null
}

/** What people are told; undefined for what is tried again. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ParseFault || error instanceof PurseEmpty) return error.message
  if (error instanceof EmbeddingFault) return `The text could not be embedded: ${error.message}`
  return undefined
}
