import type { Readable } from 'node:stream'
import { actorName, type Ctx } from '../../kernel/context.ts'
import { DomainError, invalid } from '../../kernel/errors.ts'
import { inThread } from '../../kernel/in-thread.ts'
import { toNewJob } from '../../kernel/jobs.ts'
import { oneTenant } from '../../kernel/scope.ts'
import { transact } from '../../kernel/transact.ts'
import type { WrittenFile } from '../../platform/blobs/blobs.ts'
import { isRaster } from '../../platform/images/clean.ts'
import { type AssetType, assetTypeOf, headBytes } from '../../platform/images/kinds.ts'
import { requireRoom } from '../accounts/tenants/quota-queries.ts'
import { lockTenant } from '../accounts/tenants/status.ts'
import { Asset, type AssetKind } from './entities.ts'
import { tidyAssetJob } from './jobs.ts'
import { assetKey, recordAsset, viewOf } from './keys.ts'
import { getAsset } from './queries.ts'
import { type AssetItem, maxAssetBytes, type NewAsset } from './schemas.ts'
import { mediaTasks } from './tasks.ts'

/** A file as it was uploaded. */
export interface AssetFile {
  name: string
  size: number
  /** In memory, or in a file until the answer is given. */
  content: Uint8Array | WrittenFile
  bytes(): Promise<Uint8Array>
  stream(): Readable
}

/** More than this many a tenant cannot have. */
const mostAssets = 20_000

/** An upload that has not been noted by then never will be, milliseconds. */
const noteMs = 3_600_000

/** Images of up to this many bytes are read faster than they are handed to a thread. */
const smallImage = 256 * 1_024

/**
 * Takes a file of the context's tenant. Serves `POST /media/v1/assets`.
 * @throws DomainError `VALIDATION_ERROR` on `file` for what is no image, video or PDF that is taken, or damaged;
 *   `UNPROCESSABLE` when there are too many; `PAYLOAD_TOO_LARGE` for too large a file of its kind, or with `details.quota` when a
 *   quota is used up
 */
export async function addAsset(
  ctx: Ctx,
  given: NewAsset,
  files: { file: readonly AssetFile[] },
): Promise<AssetItem> {
  const tenantId = oneTenant(ctx)
  const [file] = files.file
  if (!file) throw invalid('file', 'An asset is a file')
  const type = assetTypeOf(await headOf(file))
  if (!type)
    throw invalid(
      'file',
      'Its content is no JPEG, PNG, GIF, WebP, AVIF or SVG image, MP4, MOV or WebM video, or PDF',
    )
  requireSize(type, file.size)
  await requireRoom(ctx, tenantId, file.size)
  const content = await contentOf(ctx, type, file)
  const id = ctx.newId()
  // Should this process die before the row is there, the bytes are removed all the same.
  await ctx.services.jobs.add([
    toNewJob(tidyAssetJob, {
      tenantId,
      payload: { tenantId, id },
      runAt: new Date(ctx.clock.now() + noteMs),
    }),
  ])
  const { size, sha256 } = await ctx.services.blobs.put(assetKey({ tenantId, id }), content.source)
  return transact(ctx, async (txn) => {
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(Asset, { tenantId })) >= mostAssets)
      throw new DomainError('UNPROCESSABLE', `There are ${mostAssets} assets already; delete some first`)
    await requireRoom(txn, tenantId, size)
    const asset = txn.em.create(Asset, {
      id,
      tenantId,
      name: given.name ?? file.name.slice(0, 255),
      altText: given.altText || null,
      tags: (given.tags ?? []).join('\n'),
      kind: kindOf(type),
      mimeType: type,
      sizeBytes: size,
      width: content.width,
      height: content.height,
      sha256,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: txn.clock.date(),
      updatedOn: txn.clock.date(),
      deletedOn: null,
    })
    recordAsset(txn, asset, { after: viewOf(asset) })
    await txn.em.flush()
    return getAsset(txn, id)
  })
}

async function headOf(file: AssetFile): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of file.stream() as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size >= headBytes) break
  }
  return Buffer.concat(parts).subarray(0, headBytes)
}

function requireSize(type: AssetType, size: number): void {
  const most = type === 'image/svg+xml' ? maxAssetBytes.vector : maxAssetBytes[kindOf(type)]
  if (size <= most) return
  throw new DomainError('PAYLOAD_TOO_LARGE', `A file of the type ${type} may have ${most / 2 ** 20} MiB`, {
    field: 'file',
  })
}

function kindOf(type: AssetType): AssetKind {
  if (type === 'application/pdf') return 'document'
  return type.startsWith('video/') ? 'video' : 'image'
}

/** What is kept: of a raster image without what describes it, of all else the file as it is. */
async function contentOf(ctx: Ctx, type: AssetType, file: AssetFile) {
  if (!isRaster(type)) return { source: file.content, width: null, height: null }
  const input = { type, bytes: await file.bytes() }
  const cleaned =
    file.size <= smallImage ? mediaTasks.cleanImage(input) : await inThread(ctx, 'cleanImage', input)
  if ('fault' in cleaned) throw invalid('file', cleaned.fault)
  const { width, height, bytes } = cleaned
  return { source: bytes, width, height }
}
