import { moving } from '../../../platform/threads/moving.ts'
import type { StemmedLanguage } from '../stemming/function-words.ts'
import type { Chunk } from './chunks.ts'

/**
 * A document in chunks with its language, as it comes out of a thread: in batches of bytes, of which the process that answers others makes
 * objects one at a time. All at once, the chunks of a long document would hold it up for half a second.
 */
export interface PackedChunks {
  count: number
  batches: Uint8Array[]
  language: StemmedLanguage
}

/** How many chunks are in a batch: as many as are embedded at a time. */
export const perBatch = 64

export function packChunks(chunks: readonly Chunk[], language: StemmedLanguage): PackedChunks {
  const encoder = new TextEncoder()
  const batches = Array.from({ length: Math.ceil(chunks.length / perBatch) }, (_, n) =>
    encoder.encode(JSON.stringify(chunks.slice(n * perBatch, (n + 1) * perBatch))),
  )
  return moving({ count: chunks.length, batches, language }, batches)
}

export const unpackChunks = (batch: Uint8Array): Chunk[] =>
  JSON.parse(Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength).toString()) as Chunk[]
