import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** A document in memory, or in a file of this machine: of that no more is read than is needed. */
export type DocumentSource = Uint8Array | { path: string }

export const wholeOf = async (source: DocumentSource): Promise<Uint8Array> =>
  source instanceof Uint8Array ? source : readFile(source.path)

/** In bytes. */
export const sourceSize = async (source: DocumentSource): Promise<number> =>
  source instanceof Uint8Array ? source.length : (await stat(source.path)).size

/** How much of a file is in memory at a time, bytes. The text of a million or more Node keeps outside of the heap, from where it goes late. */
const partBytes = 512 * 1_024

/** The bytes of a document, one part after the other, each until the next is asked for. Waits for the disk, as one may in a thread. */
export function* readInParts(source: DocumentSource): Generator<{ bytes: Uint8Array; isLast: boolean }> {
  if (source instanceof Uint8Array) {
    yield { bytes: source, isLast: true }
    return
  }
  const file = openSync(source.path, 'r')
  try {
    const { size } = statSync(source.path)
    const part = Buffer.allocUnsafeSlow(Math.min(size, partBytes))
    for (let at = 0; at < size; ) {
      const read = readSync(file, part, 0, part.length, at)
      // It has become shorter.
      if (read === 0) return
      at += read
      yield { bytes: part.subarray(0, read), isLast: at >= size }
    }
  } finally {
    closeSync(file)
  }
}
