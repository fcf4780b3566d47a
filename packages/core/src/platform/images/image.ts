/** An image without what describes where and by whom it was made. Nothing of it was decoded. */
export interface CleanImage {
  /** As it is shown, pixels. */
  width: number
  height: number
  /** Of an animation; otherwise 1. */
  frames: number
  /** The file. */
  bytes: Uint8Array
}

/** Why a file is not taken as the image that it begins like. The message is for the person who uploads it. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault'
}

export const cutOff = () => new ImageFault('The image is cut off or damaged')

/** The bytes from `start` on. @throws ImageFault where the file ends before */
export function take(file: Buffer, start: number, length: number): Buffer {
  requireBytes(file, start, length)
  return file.subarray(start, start + length)
}

/** @throws ImageFault where the file ends before */
export function requireBytes(file: Buffer, start: number, length: number): void {
  if (start < 0 || length < 0 || start + length > file.length) throw cutOff()
}

/** What four letters are as a number, so that a file of many parts needs no text for each. */
export const codeOf = (letters: string): number => Buffer.from(letters, 'latin1').readUInt32BE()

/** The byte at a place. @throws ImageFault where the file ends before */
export function byteAt(file: Buffer, at: number): number {
  const byte = file[at]
  if (byte === undefined) throw cutOff()
  return byte
}

/** What a copy may have more than its file. */
const spareBytes = 16

/**
 * Copies what is kept of a file, one part behind the other. Parts are not held apart: a file can consist of millions of them, which would take
 * a multiple of its memory, here and where they are handed on.
 */
export function startCopy(file: Buffer) {
  const copy = Buffer.alloc(file.length + spareBytes)
  let size = 0
  // What lies together is copied together.
  let [from, to] = [0, 0]
  const flush = () => {
    size += file.copy(copy, size, from, to)
    from = to
  }
  return {
    /** Copies bytes of the file, from `start` up to `end`. */
    keep(start: number, end: number): void {
      if (start !== to) {
        flush()
        from = start
      }
      to = end
    },
    add(bytes: Uint8Array): void {
      flush()
      copy.set(bytes, size)
      size += bytes.byteLength
    },
    bytes(): Buffer {
      flush()
      return copy.subarray(0, size)
    },
  }
}
