import { createHash } from 'node:crypto'
import PQueue from 'p-queue'
import { BlobError, type Blobs } from './blobs.ts'

/** What a copy has done so far. */
export interface CopyCounts {
  copied: number
  /** Blobs that were there already, with the same bytes. */
  present: number
  /** Of all blobs. */
  bytes: number
}

const atATime = 4

/**
 * Copies all blobs to another store and reads each there once more. What is there with the same bytes is not written again, so a
 * copy that was broken off goes on where it was.
 * @param onBlob called after each blob
 * @throws BlobError when a store fails, or reads other bytes than were written
 */
export async function copyBlobs(
  from: Blobs,
  to: Blobs,
  onBlob?: (counts: CopyCounts) => void,
): Promise<CopyCounts> {
  const counts: CopyCounts = { copied: 0, present: 0, bytes: 0 }
  const queue = new PQueue({ concurrency: atATime })
  let failure: unknown
  for await (const { key, size } of from.list()) {
    await queue.onSizeLessThan(1)
    if (failure !== undefined) break
    queue
      .add(async () => {
        const done = await copyOne(from, to, key)
        if (done === 'gone') return
        counts[done] += 1
        counts.bytes += size
        onBlob?.(counts)
      })
      .catch((error: unknown) => (failure ??= error))
  }
  await queue.onIdle()
  if (failure !== undefined) throw failure
  return counts
}

async function copyOne(from: Blobs, to: Blobs, key: string): Promise<'copied' | 'present' | 'gone'> {
  const there = await hashOf(to, key)
  if (there !== undefined && there === (await hashOf(from, key))) return 'present'
  const source = await from.stream(key)
  if (!source) return 'gone'
  const { sha256 } = await to.put(key, source)
  if ((await hashOf(to, key)) === sha256) return 'copied'
  throw new BlobError('io', `Blob ${key} reads differently from how it was written.`)
}

async function hashOf(blobs: Blobs, key: string): Promise<string | undefined> {
  const source = await blobs.stream(key)
  if (!source) return undefined
  const hash = createHash('sha256')
  for await (const bytes of source) hash.update(bytes)
  return hash.digest('hex')
}
