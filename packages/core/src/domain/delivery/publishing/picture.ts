import type { Ctx } from '../../../kernel/context.ts'
import { BlobError } from '../../../platform/blobs/blobs.ts'
import { OutboundError } from '../../../platform/http/outbound-error.ts'
import { assetTypeOf, headBytes } from '../../../platform/images/kinds.ts'
import { PlatformError, safeWords } from '../../accounts/channels/platform-error.ts'
import { lastingAddress, passingAddress } from '../../media/addresses.ts'
import { assetKey } from '../../media/keys.ts'
import type { NamedAsset } from '../../media/queries.ts'
import { isReference } from '../../media/references.ts'
import { assetFault } from './assets.ts'
import type { FileLimits, MediaLimits } from './connector.ts'
import type { PostPicture } from './post-text.ts'

/** A picture or video of a post, with its bytes. */
export interface MediaFile {
  bytes: Uint8Array<ArrayBuffer>
  /** By its content, such as `image/png`. */
  type: string
}

/**
 * The bytes of what a piece shows, for platforms that take files and no addresses: from the media library, or from the web.
 * @throws PlatformError `validation` for what the platform would not take, `transient` where it cannot be had now
 */
export function pictureFile(
  ctx: Ctx,
  { url, asset }: PostPicture,
  { files = { types: [], maxBytes: 0 } }: MediaLimits,
  signal: AbortSignal,
): Promise<MediaFile> {
  if (asset) return assetFile(ctx, asset, files)
  if (isReference(url)) throw unknownAsset(url)
  return fetchMedia(ctx, url, files, signal)
}

async function assetFile(ctx: Ctx, asset: NamedAsset, files: FileLimits): Promise<MediaFile> {
  const fault = assetFault(asset, { files })
  if (fault !== undefined) throw new PlatformError('validation', fault)
  try {
    const bytes = await ctx.services.blobs.get(assetKey(asset))
    if (!bytes) throw new PlatformError('validation', `The file of “${asset.name.slice(0, 100)}” is gone`)
    return { bytes: new Uint8Array(bytes), type: asset.mimeType }
  } catch (error) {
    if (!(error instanceof BlobError)) throw error
    throw new PlatformError('transient', 'The store of files does not answer', { cause: error })
  }
}

const unknownAsset = (url: string) =>
  new PlatformError('validation', `The media library has no “${url.slice(0, 60)}”`)

/**
 * Where a platform finds what a piece shows.
 * @param isNear the platform is where the operator has put it, perhaps in the same network
 * @param lasts `hour`: it is fetched at once; `always`: readers fetch it
 * @throws PlatformError `validation` for what the platform would not take; `policy` where it cannot be reached
 */
export async function pictureAddress(
  ctx: Ctx,
  { url, asset }: PostPicture,
  { fetched = { types: [], maxBytes: 0 } }: MediaLimits,
  { isNear, lasts }: { isNear: boolean; lasts: 'hour' | 'always' },
): Promise<string> {
  if (!asset && isReference(url)) throw unknownAsset(url)
  if (!asset) return url
  const fault = assetFault(asset, { fetched })
  if (fault !== undefined) throw new PlatformError('validation', fault)
  const { from } = fetched
  const among = isNear ? 'near' : 'public'
  const address =
    lasts === 'always'
      ? lastingAddress(ctx, asset)
      : await passingAddress(ctx, asset, { among, ...(from && { from }) })
  if (address === undefined) throw new PlatformError('policy', notReached(lasts))
  return address
}

const notReached = (lasts: 'hour' | 'always') =>
  lasts === 'always'
    ? 'Readers cannot be shown files of the media library: this server has no public address (baseUrl)'
    : 'The platform fetches pictures itself, and cannot fetch files of the media library: neither this server (baseUrl) nor its bucket has a public address'

async function fetchMedia(
  ctx: Ctx,
  url: string,
  { types, maxBytes }: FileLimits,
  signal: AbortSignal,
): Promise<MediaFile> {
  const { host } = new URL(url)
  try {
    const response = await ctx.services.http.request(url, { maxBytes, signal })
    if (response.status !== 200)
      throw new PlatformError(
        response.status >= 500 ? 'transient' : 'validation',
        `${host} answered ${response.status} for a picture of the post`,
      )
    const bytes = new Uint8Array(await response.bytes())
    const type = assetTypeOf(bytes.subarray(0, headBytes))
    if (type === undefined || !types.includes(type))
      throw new PlatformError(
        'validation',
        `This channel takes ${types.join(', ')}, and no ${type ?? 'such file'}`,
      )
    return { bytes, type }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const lasting = ['bad_url', 'scheme', 'credentials', 'address', 'too_large'].includes(error.reason)
    throw new PlatformError(lasting ? 'validation' : 'transient', safeWords(error.message), { cause: error })
  }
}
