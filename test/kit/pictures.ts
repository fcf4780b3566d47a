import { crc32, deflateSync } from 'node:zlib'
import type { Client } from '@copydesk/client'

/** Pictures as files, made byte by byte: with everything that a camera or an attacker puts into them. */

const latin1 = (text: string) => Buffer.from(text, 'latin1')

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([latin1(type), data])
  const out = Buffer.alloc(12 + data.length)
  out.writeUInt32BE(data.length)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), 8 + data.length)
  return out
}

const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A grey PNG. @param extra chunks between the header and the pixels */
export function pngOf(
  { width = 4, height = 3, pixels = true }: { width?: number; height?: number; pixels?: boolean } = {},
  extra: ReadonlyArray<readonly [type: string, text: string]> = [],
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc(pixels ? (width + 1) * height : 1))
  return Buffer.concat([
    pngHead,
    chunk('IHDR', header),
    ...extra.map(([type, text]) => chunk(type, latin1(text))),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A square PNG in colour whose lines come in the seven rounds of Adam7, all of them empty. */
export function interlacedPngOf(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 6, 0, 0, 1], 8)
  const rounds = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const
  const lines = (from: number, step: number) => Math.ceil((side - from) / step)
  const size = rounds.reduce(
    (sum, [x, stepX, y, stepY]) => sum + (1 + 4 * lines(x, stepX)) * lines(y, stepY),
    0,
  )
  const data = deflateSync(Buffer.alloc(size), { level: 1 })
  return Buffer.concat([pngHead, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

const segment = (marker: number, data: Uint8Array) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** EXIF with a place, a camera and an orientation. */
export function exifOf(orientation: number, order: 'II' | 'MM' = 'II'): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 24 + 4)
  const short = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(order, 0, 'latin1')
  short(42, 2)
  long(8, 4)
  short(2, 8)
  short(0x010f, 10)
  short(2, 12)
  short(0x0112, 22)
  short(3, 24)
  long(1, 26)
  short(orientation, 30)
  return Buffer.concat([latin1('Exif\0\0'), tiff, latin1('GPS 52.52 N 13.40 E, Camera of Mia')])
}

/** A JPEG of 8 × 8 grey pixels. @param extra segments behind the start, by marker */
export function jpegOf(
  { width = 8, height = 8 }: { width?: number; height?: number } = {},
  extra: ReadonlyArray<readonly [marker: number, data: Uint8Array]> = [],
): Buffer {
  const size = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  size.writeUInt16BE(height, 1)
  size.writeUInt16BE(width, 3)
  const codes = (kind: number) => [kind, 1, ...Array<number>(15).fill(0), 0]
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, latin1('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    ...extra.map(([marker, data]) => segment(marker, data)),
    segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    segment(0xc0, size),
    segment(0xc4, Buffer.from(codes(0x00))),
    segment(0xc4, Buffer.from(codes(0x10))),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // One block: both codes are one bit, 0.
    Buffer.from([0x3f]),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** A GIF of 1 × 1 pixel. @param comment in a block of comments */
export function gifOf({ width = 1, height = 1, frames = 1 } = {}, comment = ''): Buffer {
  const head = Buffer.concat([latin1('GIF89a'), Buffer.alloc(7)])
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  head[10] = 0x80
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  const note =
    comment === ''
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.from([0x21, 0xfe, comment.length]), latin1(comment), Buffer.from([0])])
  return Buffer.concat([
    head,
    Buffer.from([0, 0, 0, 255, 255, 255]),
    note,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ])
}

/** A WebP without loss. @param extra chunks behind the picture */
export function webpOf(
  { width = 2, height = 2 } = {},
  extra: ReadonlyArray<readonly [type: string, text: string]> = [],
): Buffer {
  const part = (type: string, data: Uint8Array) => {
    const head = Buffer.concat([latin1(type), Buffer.alloc(4)])
    head.writeUInt32LE(data.length, 4)
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
  }
  const wide = Buffer.alloc(10)
  wide[0] = 0x0c
  wide.writeUIntLE(width - 1, 4, 3)
  wide.writeUIntLE(height - 1, 7, 3)
  const bits = Buffer.alloc(5)
  bits[0] = 0x2f
  bits.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  const picture = Buffer.concat([bits, Buffer.from([0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0x08])])
  const body = Buffer.concat([
    part('VP8X', wide),
    part('VP8L', picture),
    ...extra.map(([type, text]) => part(type, latin1(text))),
  ])
  const head = latin1('RIFF\0\0\0\0WEBP')
  head.writeUInt32LE(4 + body.length, 4)
  return Buffer.concat([head, body])
}

const box = (type: string, ...content: Uint8Array[]) => {
  const head = Buffer.concat([Buffer.alloc(4), latin1(type)])
  const body = Buffer.concat(content)
  head.writeUInt32BE(8 + body.length)
  return Buffer.concat([head, body])
}

/** The boxes of an AVIF around data that no one decodes. @param items types of what is in it beside the picture */
export function avifOf(
  { width = 64, height = 48, turned = false } = {},
  items: readonly string[] = [],
): Buffer {
  const size = Buffer.alloc(12)
  size.writeUInt32BE(width, 4)
  size.writeUInt32BE(height, 8)
  const entries = ['av01', ...items].map((type, n) =>
    box('infe', Buffer.from([2, 0, 0, 0, 0, n + 1, 0, 0]), latin1(`${type}\0`)),
  )
  const properties = box('ipco', box('ispe', size), ...(turned ? [box('irot', Buffer.from([1]))] : []))
  return Buffer.concat([
    box('ftyp', latin1('avif\0\0\0\0avifmif1')),
    box(
      'meta',
      Buffer.alloc(4),
      box('iinf', Buffer.from([0, 0, 0, 0, 0, entries.length]), ...entries),
      box('iprp', properties),
    ),
    box('mdat', Buffer.alloc(100)),
  ])
}

/** The beginning of a video of one brand. */
export const videoOf = (brand: string, bytes = 1_000) =>
  Buffer.concat([box('ftyp', latin1(`${brand}\0\0\0\0`)), box('mdat', Buffer.alloc(bytes, 7))])

/** Uploads a file to the media library of a team. @returns the asset */
export function uploadAsset(
  member: Client,
  content: string | Uint8Array,
  name: string,
  fields: Readonly<Record<string, string>> = {},
) {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([content as BlobPart], { type: 'text/html' }), name)
  return member.call('media', 'POST /assets', { body })
}

/** Uploads a drawing. @param name is contained in all that is told about it */
export async function addPicture(admin: Client, name: string): Promise<void> {
  const picture = new FormData()
  picture.append('name', name)
  picture.append('altText', name)
  picture.append('tags', 'bread')
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg"><title>${encodeURIComponent(name)}</title></svg>`
  picture.append('file', new Blob([drawing]), 'picture.svg')
  await admin.call('media', 'POST /assets', { body: picture })
}
