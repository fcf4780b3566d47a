import { create as disposition } from 'content-disposition'
import type { AssetContent } from '../domain/media/content.ts'
import { type RangeRequest, rangedReply } from '../gateway/ranges.ts'
import type { RawReply } from '../gateway/raw.ts'
import { notFound } from '../kernel/errors.ts'

/**
 * Sends a file, whole or in part. Browsers show what can run nothing, and save all else under its name.
 * @param cacheControl who may keep it, and for how long
 * @throws DomainError `NOT_FOUND` when the bytes are gone
 */
export async function assetReply(
  request: RangeRequest,
  { name, type, isShown, ...file }: AssetContent,
  cacheControl: string,
): Promise<RawReply> {
  const reply = await rangedReply(request, {
    ...file,
    headers: {
      'Content-Type': type,
      'Cache-Control': cacheControl,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Content-Disposition': disposition(name, {
        type: isShown ? 'inline' : 'attachment',
        fallback: name.replace(/[^\w .()-]/g, '_'),
      }),
    },
  })
  if (!reply) throw notFound('asset')
  return reply
}
