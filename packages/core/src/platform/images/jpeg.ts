import { byteAt, type CleanImage, cutOff, ImageFault, requireBytes, startCopy, take } from './image.ts'

const pictureStarts = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])

/**
 * Keeps what decodes the picture, its colour profile and its orientation; drops all else: EXIF, XMP, IPTC, comments, thumbnails, and
 * what follows the end. The pixels stay as they are.
 * @throws ImageFault
 */
export function cleanJpeg(file: Buffer): CleanImage {
  const copy = startCopy(file)
  requireBytes(file, 0, startBytes)
  copy.keep(0, startBytes)
  let size: { width: number; height: number } | undefined
  let orientation = 1
  let rounds = 0
  for (let at = startBytes; ; ) {
    if (byteAt(file, at) !== 0xff) throw cutOff()
    while (byteAt(file, at + 1) === 0xff) at += 1
    const marker = byteAt(file, at + 1)
    if (marker === 0xd9) break
    requireBytes(file, at + 2, 2)
    const length = file.readUInt16BE(at + 2)
    if (length < 2) throw cutOff()
    requireBytes(file, at, 2 + length)
    const end = at + 2 + length
    if (pictureStarts.has(marker)) size ??= sizeIn(file.subarray(at, end))
    const found = marker === 0xe1 ? orientationIn(file.subarray(at, end)) : undefined
    if (found !== undefined && orientation === 1) orientation = found
    if (isKept(marker, file, at, end)) copy.keep(at, end)
    at = end
    if (marker === 0xda) {
      rounds += 1
      if (rounds > mostRounds)
        throw new ImageFault('The JPEG image is drawn in too many rounds; export it again')
      const next = endOfScan(file, at)
      copy.keep(at, next)
      at = next
    }
  }
  copy.add(Uint8Array.of(0xff, 0xd9))
  if (!size || size.width === 0 || size.height === 0) throw cutOff()
  const bytes = orientation > 1 ? turned(copy.bytes(), orientation) : copy.bytes()
  const { width, height } = size
  return orientation > 4
    ? { width: height, height: width, frames: 1, bytes }
    : { width, height, frames: 1, bytes }
}

/** Programs draw in some ten rounds. Each goes over the whole picture, and may be a few bytes. */
const mostRounds = 64

/** The marker that a file begins with. */
const startBytes = 2

const turned = (file: Buffer, orientation: number): Buffer =>
  Buffer.concat([file.subarray(0, startBytes), orientationOnly(orientation), file.subarray(startBytes)])

function isKept(marker: number, file: Buffer, start: number, end: number): boolean {
  const begins = (text: string) =>
    file.toString('latin1', start + 4, Math.min(start + 4 + text.length, end)) === text
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
    const next = byteAt(file, at + 1)
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
