import { crc32 } from 'node:zlib'
import { type CleanImage, cutOff, take } from './image.ts'

/** What a picture is made of and how its colours are meant, animations included. */
const kept = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs acTL fcTL fdAT'.split(' '),
)

/** Drops texts, times, EXIF, unknown chunks and what follows the end. @throws ImageFault */
export function cleanPng(file: Buffer): CleanImage {
  const parts: Uint8Array[] = [take(file, 0, 8)]
  let size: { width: number; height: number } | undefined
  let frames = 1
  let hasData = false
  for (let at = 8; ; ) {
    const length = take(file, at, 8).readUInt32BE()
    const chunk = take(file, at, 12 + length)
    const type = chunk.toString('latin1', 4, 8)
    if (crc32(chunk.subarray(4, 8 + length)) !== chunk.readUInt32BE(8 + length)) throw cutOff()
    if (at === 8) {
      if (type !== 'IHDR' || length !== 13) throw cutOff()
      size = { width: chunk.readUInt32BE(8), height: chunk.readUInt32BE(12) }
    }
    if (type === 'IDAT') hasData = true
    if (type === 'acTL' && length === 8) frames = Math.max(1, chunk.readUInt32BE(8))
    if (kept.has(type)) parts.push(chunk)
    at += chunk.length
    if (type === 'IEND') break
  }
  if (!size || !hasData || size.width === 0 || size.height === 0) throw cutOff()
  return { ...size, frames, parts }
}
