import { type CleanImage, cutOff, take } from './image.ts'

/** How often an animation is shown. */
const loops = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

/** Drops comments, texts, the data of programs and what follows the end. @throws ImageFault */
export function cleanGif(file: Buffer): CleanImage {
  const header = take(file, 0, 13)
  const size = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
  let at = 13 + tableBytes(header[10] as number)
  const parts: Uint8Array[] = [take(file, 0, at)]
  let frames = 0
  for (;;) {
    const start = at
    const kind = take(file, at, 1)[0]
    if (kind === 0x3b) break
    if (kind === 0x21) {
      const label = take(file, at, 3)[1]
      const name = label === 0xff ? take(file, at + 3, 11).toString('latin1') : ''
      at = endOfBlocks(file, at + 2)
      if (label === 0xf9 || loops.has(name)) parts.push(file.subarray(start, at))
    } else if (kind === 0x2c) {
      const frame = take(file, at, 10)
      at = endOfBlocks(file, at + 11 + tableBytes(frame[9] as number))
      parts.push(file.subarray(start, at))
      frames += 1
    } else throw cutOff()
  }
  parts.push(Uint8Array.of(0x3b))
  if (frames === 0 || size.width === 0 || size.height === 0) throw cutOff()
  return { ...size, frames, parts }
}

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function endOfBlocks(file: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = take(file, at, 1)[0] as number
    at += 1 + length
    if (length === 0) return at
  }
}
