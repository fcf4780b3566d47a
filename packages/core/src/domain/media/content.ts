import type { Ctx } from '../../kernel/context.ts'
import type { ByteRange } from '../../platform/blobs/blobs.ts'
import { isRaster } from '../../platform/images/clean.ts'
import type { ImageWidth, Resizer } from '../../platform/images/resizer.ts'
import { assetKey } from './keys.ts'
import { type StoredAsset, storedAsset } from './queries.ts'

/** The bytes of an asset, or of a smaller version of it. */
export interface AssetContent {
  name: string
  type: string
  size: number
  /** Of exactly these bytes. */
  version: string
  /** Whether a browser may show it as a page of its own: it can run nothing. */
  isShown: boolean
  /** @returns undefined when the bytes are gone */
  read(range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
}

/**
 * Serves `GET /media/v1/assets/:assetId/content`.
 * @param width what it is to be made smaller to; what is no raster image, or not wider, stays as it is
 * @throws DomainError `NOT_FOUND`
 */
export async function assetContent(ctx: Ctx, id: string, width?: ImageWidth): Promise<AssetContent> {
  const asset = await storedAsset(ctx, id)
  return (await smaller(ctx, asset, width)) ?? originalContent(ctx, asset)
}

/** The bytes of an asset as they are kept. */
export function originalContent(ctx: Ctx, asset: StoredAsset): AssetContent {
  const { name, mimeType: type, sizeBytes: size, sha256 } = asset
  return {
    name,
    type,
    size,
    version: sha256,
    isShown: isRaster(type),
    read: (range) => ctx.services.blobs.stream(assetKey(asset), range),
  }
}

async function smaller(
  ctx: Ctx,
  asset: StoredAsset,
  width: ImageWidth | undefined,
): Promise<AssetContent | undefined> {
  const { images, blobs } = ctx.services
  const { name, sha256, mimeType } = asset
  if (width === undefined || !isRaster(mimeType) || asset.width === null || asset.width <= width)
    return undefined
  const bytes = await images.resize(sha256, width, (read) => blobs.withFile(assetKey(asset), read))
  if (!bytes) return undefined
  return {
    name,
    type: 'image/webp',
    size: bytes.byteLength,
    version: `${sha256}-w${width}`,
    isShown: true,
    read: (range) => Promise.resolve(once(range ? bytes.subarray(range.start, range.end + 1) : bytes)),
  }
}

declare module '../../kernel/services.ts' {
  interface Services {
    /** Makes images smaller. */
    images: Resizer
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
