import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { createHttpClient } from '../http/client.ts'
import type { Logger } from '../log.ts'
import type { Blobs } from './blobs.ts'
import { createDirectoryBlobs } from './directory.ts'
import { placeOf, type StorageOptions } from './place.ts'

/**
 * Opens the store that an operator has chosen. A bucket has connections of its own: it may be in a private network, which no other
 * request is to reach because of that.
 * @throws TypeError on options that cannot be used
 */
export async function openBlobs(
  options: StorageOptions,
  parts: { dataDir: string; clock: Clock; log: Logger },
): Promise<Blobs> {
  const { dataDir, clock, log } = parts
  const place = placeOf(options, dataDir)
  if (place.kind === 'folder') return createDirectoryBlobs(place.folder)
  const [{ createBucketBlobs }, { createBucket }] = await Promise.all([
    import('./s3.ts'),
    import('./s3-requests.ts'),
  ])
  const http = createHttpClient({ log, allowHosts: [new URL(place.base).host] })
  return createBucketBlobs({
    bucket: createBucket({ place, http, clock }),
    prefix: place.prefix,
    temporary: join(dataDir, 'temporary'),
    close: () => http.close(),
  })
}
