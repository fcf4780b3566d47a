import { type CleanImage, codeOf, cutOff, requireBytes, startCopy, take } from './image.ts'

const kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'].map(codeOf))
const [lossy, lossless, extended, frame] = [codeOf('VP8 '), codeOf('VP8L'), codeOf('VP8X'), codeOf('ANMF')]
const saysExif = 0x08
const saysXmp = 0x04

/** Drops EXIF, XMP, unknown chunks and what follows the end. @throws ImageFault */
export function cleanWebp(file: Buffer): CleanImage {
  const end = 8 + take(file, 0, 12).readUInt32LE(4)
  if (end > file.length) throw cutOff()
  const copy = startCopy(file)
  let size: { width: number; height: number } | undefined
  let frames = 0
  let hasPicture = false
  for (let at = 12; at < end; ) {
    requireBytes(file, at, 8)
    const length = file.readUInt32LE(at + 4)
    const padded = length + (length % 2)
    if (at + 8 + length > end) throw cutOff()
    const type = file.readUInt32BE(at)
    size ??= sizeIn(type, file.subarray(at + 8, at + 8 + length))
    if (type === frame) frames += 1
    if (type === lossy || type === lossless || type === frame) hasPicture = true
    if (type === extended) copy.add(withoutFlags(file.subarray(at, at + 8 + length)))
    else if (kept.has(type)) copy.keep(at, at + 8 + length)
    if (kept.has(type) && padded > length) copy.add(Uint8Array.of(0))
    at += 8 + padded
  }
  if (!size || !hasPicture) throw cutOff()
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  const chunks = copy.bytes()
  header.writeUInt32LE(4 + chunks.length, 4)
  return { ...size, frames: Math.max(1, frames), bytes: Buffer.concat([header, chunks]) }
}

/** The chunk that tells what is in the file, without that there are EXIF and XMP. */
function withoutFlags(chunk: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(chunk)
  copy[8] = (copy[8] as number) & ~(saysExif | saysXmp)
  return copy
}

function sizeIn(type: number, data: Buffer): { width: number; height: number } | undefined {
  if (type === extended) {
    const place = take(data, 4, 6)
    return { width: 1 + place.readUIntLE(0, 3), height: 1 + place.readUIntLE(3, 3) }
  }
  if (type === lossless) {
    const bits = take(data, 0, 5).readUInt32LE(1)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (type !== lossy) return undefined
  const place = take(data, 6, 4)
  return { width: place.readUInt16LE(0) & 0x3fff, height: place.readUInt16LE(2) & 0x3fff }
}
