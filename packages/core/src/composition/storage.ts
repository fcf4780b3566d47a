import { type CopyCounts, copyBlobs } from '../platform/blobs/copy.ts'
import { openBlobs } from '../platform/blobs/open.ts'
import type { StorageOptions } from '../platform/blobs/place.ts'
import type { Assembled } from './assemble.ts'

export interface StorageApi {
  /**
   * Copies all files to another store and checks them there; what is there already is not copied again.
   * @throws TypeError on options that cannot be used
   */
  copyTo(target: StorageOptions): Promise<CopyCounts>
}

export function createStorageApi({ options, services, clock, log }: Assembled): StorageApi {
  return {
    async copyTo(given) {
      const target = await openBlobs(given, { dataDir: options.dataDir, clock, log })
      try {
        return await copyBlobs(services.blobs, target)
      } finally {
        await target.close()
      }
    },
  }
}
