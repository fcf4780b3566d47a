import { crc32 } from 'node:zlib'
import { type CleanImage, codeOf, cutOff, requireBytes, startCopy } from './image.ts'

/** What a picture is made of and how its colours are meant, animations included. */
const kept = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs acTL fcTL fdAT'.split(' ').map(codeOf),
)
const [IHDR, IDAT, acTL, IEND] = [codeOf('IHDR'), codeOf('IDAT'), codeOf('acTL'), codeOf('IEND')]

/** Drops texts, times, EXIF, unknown chunks and what follows the end. @throws ImageFault */
export function cleanPng(file: Buffer): CleanImage {
  const copy = startCopy(file)
  requireBytes(file, 0, 8)
  copy.keep(0, 8)
  let size: { width: number; height: number } | undefined
  let frames = 1
  let hasData = false
  for (let at = 8; ; ) {
    requireBytes(file, at, 8)
    const length = file.readUInt32BE(at)
    const type = file.readUInt32BE(at + 4)
    requireBytes(file, at, 12 + length)
    const end = at + 12 + length
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) throw cutOff()
    if (at === 8) {
      if (type !== IHDR || length !== 13) throw cutOff()
      size = { width: file.readUInt32BE(at + 8), height: file.readUInt32BE(at + 12) }
    }
    if (type === IDAT) hasData = true
    if (type === acTL && length === 8) frames = Math.max(1, file.readUInt32BE(at + 8))
    if (kept.has(type)) copy.keep(at, end)
    at = end
    if (type === IEND) break
  }
  if (!size || !hasData || size.width === 0 || size.height === 0) throw cutOff()
  return { ...size, frames, bytes: copy.bytes() }
}
