import type { Ctx } from '../../../kernel/context.ts'
import { OutboundError } from '../../../platform/http/outbound-error.ts'
import { assetTypeOf, headBytes } from '../../../platform/images/kinds.ts'
import { PlatformError, safeWords } from '../../accounts/channels/platform-error.ts'
import type { MediaLimits } from './connector.ts'

/** A picture or video of a post, with its bytes. */
export interface MediaFile {
  bytes: Uint8Array<ArrayBuffer>
  /** By its content, such as `image/png`. */
  type: string
}

/**
 * Fetches what a post shows, for platforms that take files and no addresses.
 * @throws PlatformError `validation` for what the platform would not take, `transient` where it cannot be had now
 */
export async function fetchMedia(
  ctx: Ctx,
  url: string,
  { types, maxBytes }: MediaLimits,
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
