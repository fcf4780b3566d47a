import { type CleanImage, cutOff, take } from './image.ts'

const kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const saysExif = 0x08
const saysXmp = 0x04

/** Drops EXIF, XMP, unknown chunks and what follows the end. @throws ImageFault */
export function cleanWebp(file: Buffer): CleanImage {
  const end = 8 + take(file, 0, 12).readUInt32LE(4)
  if (end > file.length) throw cutOff()
  const parts: Uint8Array[] = []
  let size: { width: number; height: number } | undefined
  let frames = 0
  let hasPicture = false
  for (let at = 12; at < end; ) {
    const length = take(file, at, 8).readUInt32LE(4)
    const padded = length + (length % 2)
    if (at + 8 + length > end) throw cutOff()
    const type = file.toString('latin1', at, at + 4)
    const chunk = Buffer.alloc(8 + padded)
    file.copy(chunk, 0, at, at + 8 + length)
    size ??= sizeIn(type, chunk.subarray(8, 8 + length))
    if (type === 'VP8X') chunk[8] = (chunk[8] as number) & ~(saysExif | saysXmp)
    if (type === 'ANMF') frames += 1
    if (type === 'VP8 ' || type === 'VP8L' || type === 'ANMF') hasPicture = true
    if (kept.has(type)) parts.push(chunk)
    at += 8 + padded
  }
  if (!size || !hasPicture) throw cutOff()
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  header.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.byteLength, 0), 4)
  return { ...size, frames: Math.max(1, frames), parts: [header, ...parts] }
}

function sizeIn(type: string, data: Buffer): { width: number; height: number } | undefined {
  if (type === 'VP8X') {
    const place = take(data, 4, 6)
    return { width: 1 + place.readUIntLE(0, 3), height: 1 + place.readUIntLE(3, 3) }
  }
  if (type === 'VP8L') {
    const bits = take(data, 0, 5).readUInt32LE(1)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (type !== 'VP8 ') return undefined
  const place = take(data, 6, 4)
  return { width: place.readUInt16LE(0) & 0x3fff, height: place.readUInt16LE(2) & 0x3fff }
}
