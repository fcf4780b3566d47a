import { type CleanImage, cutOff, take } from './image.ts'

const pictureStarts = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])

/**
 * Keeps what decodes the picture, its colour profile and its orientation; drops all else: EXIF, XMP, IPTC, comments, thumbnails, and
 * what follows the end. The pixels stay as they are.
 * @throws ImageFault
 */
export function cleanJpeg(file: Buffer): CleanImage {
  const parts: Uint8Array[] = [take(file, 0, 2)]
  let size: { width: number; height: number } | undefined
  let orientation = 1
  for (let at = 2; ; ) {
    if (take(file, at, 2)[0] !== 0xff) throw cutOff()
    while (take(file, at, 2)[1] === 0xff) at += 1
    const marker = file[at + 1] as number
    if (marker === 0xd9) break
    const length = take(file, at + 2, 2).readUInt16BE()
    if (length < 2) throw cutOff()
    const segment = take(file, at, 2 + length)
    if (pictureStarts.has(marker)) size ??= sizeIn(segment)
    const found = marker === 0xe1 ? orientationIn(segment) : undefined
    if (found !== undefined && orientation === 1) orientation = found
    if (isKept(marker, segment)) parts.push(segment)
    at += segment.length
    if (marker === 0xda) {
      const end = endOfScan(file, at)
      parts.push(file.subarray(at, end))
      at = end
    }
  }
  parts.push(Uint8Array.of(0xff, 0xd9))
  if (!size || size.width === 0 || size.height === 0) throw cutOff()
  if (orientation > 1) parts.splice(1, 0, orientationOnly(orientation))
  const { width, height } = size
  return orientation > 4
    ? { width: height, height: width, frames: 1, parts }
    : { width, height, frames: 1, parts }
}

function isKept(marker: number, segment: Buffer): boolean {
  const begins = (text: string) => segment.toString('latin1', 4, 4 + text.length) === text
  if (marker === 0xe0) return begins('JFIF\0')
  if (marker === 0xe2) return begins('ICC_PROFILE\0')
  if (marker === 0xee) return begins('Adobe')
  return marker >= 0xc0 && marker < 0xe0
}

function sizeIn(segment: Buffer) {
  const place = take(segment, 5, 4)
  return { height: place.readUInt16BE(0), width: place.readUInt16BE(2) }
}

/** Where the next marker begins: in the data of a scan, 0xff is followed by 0 or by a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at)) {
    const next = take(file, at, 2)[1] as number
    if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at += 2
    else if (next === 0xff) at += 1
    else return at
  }
  throw cutOff()
}

/** The orientation that an EXIF segment tells, 1 to 8; undefined where it tells none that can be read. */
function orientationIn(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return undefined
  const tiff = segment.subarray(10)
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return undefined
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  try {
    const start = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
    for (let n = 0; n < short(start); n += 1) {
      const entry = start + 2 + 12 * n
      if (short(entry) !== 0x0112) continue
      const value = short(entry + 8)
      return value >= 1 && value <= 8 ? value : undefined
    }
  } catch {
    // The offsets lead out of the segment.
  }
  return undefined
}

/** EXIF that tells how the picture is turned, and nothing else. */
function orientationOnly(orientation: number): Buffer {
  const directory = [
    '00000008',
    '0001',
    '0112',
    '0003',
    '00000001',
    `000${orientation}`,
    '0000',
    '00000000',
  ].join('')
  return Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 34]),
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    Buffer.from(directory, 'hex'),
  ])
}
