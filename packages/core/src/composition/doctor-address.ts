import type { Capabilities } from '../domain/delivery/publishing/connector.ts'
import type { Services } from '../kernel/services.ts'
import { isPublicAddress } from '../platform/http/public-address.ts'
import type { Finding } from './finding.ts'

/**
 * Says what cannot work where this server has no public address. It is no fault, since all else works in a network of one's own.
 * Addresses of a bucket are asked for as publishing does it.
 */
export async function lookAtAddress({ settings, blobs, connectors }: Services): Promise<Finding> {
  const name = 'public address'
  const { baseUrl } = settings
  if (isPublicAddress(baseUrl))
    return { name, ok: true, message: `${baseUrl} is one: platforms and readers of mails are sent there` }
  const link = await blobs.link('doctor', { seconds: 1, contentType: 'image/jpeg' }).catch(() => undefined)
  const bucket = link !== undefined && isPublicAddress(link) ? 'public bucket' : 'no public bucket'
  const types = [...connectors.values()]
    .filter(({ capabilities }) => needsAddress(capabilities, bucket))
    .map(({ type }) => type)
    .toSorted()
  const fetched = `pictures of the media library on channels of the types ${types.join(', ')}`
  const rest =
    bucket === 'public bucket' ? ' (those of all other types come from the bucket, which is public)' : ''
  return {
    name,
    ok: true,
    message:
      `${baseUrl} is none. What cannot work: ${fetched}${rest}; pictures of the media library in mails to leads; ` +
      'links in mails to readers outside of this network; consents in browsers that do not reach this address',
  }
}

/** Whether a platform fetches what a piece shows from this server, and only from there. */
function needsAddress({ media: { fetched }, asMail }: Capabilities, bucket: string): boolean {
  if (!fetched) return false
  // Readers open a mail long after an address of a bucket has ended.
  return bucket === 'no public bucket' || fetched.from === 'server' || asMail === true
}
