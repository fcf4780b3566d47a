import { byteAt, type CleanImage, cutOff, requireBytes, startCopy, take } from './image.ts'

/** How often an animation is shown. */
const loops = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

/** Drops comments, texts, the data of programs and what follows the end. @throws ImageFault */
export function cleanGif(file: Buffer): CleanImage {
  const header = take(file, 0, 13)
  const size = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
  let at = 13 + tableBytes(header[10] as number)
  const copy = startCopy(file)
  requireBytes(file, 0, at)
  copy.keep(0, at)
  let frames = 0
  for (;;) {
    const start = at
    const kind = byteAt(file, at)
    if (kind === 0x3b) break
    if (kind === 0x21) {
      const label = byteAt(file, at + 1)
      const name = label === 0xff ? take(file, at + 3, 11).toString('latin1') : ''
      at = endOfBlocks(file, at + 2)
      if (label === 0xf9 || loops.has(name)) copy.keep(start, at)
    } else if (kind === 0x2c) {
      const frame = take(file, at, 10)
      at = endOfBlocks(file, at + 11 + tableBytes(frame[9] as number))
      copy.keep(start, at)
      frames += 1
    } else throw cutOff()
  }
  copy.add(Uint8Array.of(0x3b))
  if (frames === 0 || size.width === 0 || size.height === 0) throw cutOff()
  return { ...size, frames, bytes: copy.bytes() }
}

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function endOfBlocks(file: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = byteAt(file, at)
    at += 1 + length
    if (length === 0) return at
  }
}
