import { type CleanImage, cutOff, ImageFault, take } from './image.ts'

interface Box {
  type: string
  /** Behind its header. */
  content: Buffer
}

/** What is no part of the picture. */
const described = new Set(['Exif', 'mime', 'uri '])

/**
 * Reads the size. What describes the picture lies between its data and cannot be taken out without moving it, so an image that
 * has any is refused.
 * @throws ImageFault
 */
export function checkAvif(file: Buffer): CleanImage {
  const top = boxesIn(file)
  const meta = top.find(({ type }) => type === 'meta')?.content
  if (!meta || !top.some(({ type }) => type === 'mdat' || type === 'idat')) throw cutOff()
  const inner = boxesIn(take(meta, 4, meta.length - 4))
  if (itemTypes(inner).some((type) => described.has(type)))
    throw new ImageFault('The AVIF image contains EXIF or XMP; export it again without metadata')
  const properties = inner.filter(({ type }) => type === 'iprp').flatMap(({ content }) => boxesIn(content))
  const all = properties.filter(({ type }) => type === 'ipco').flatMap(({ content }) => boxesIn(content))
  let size: { width: number; height: number } | undefined
  for (const { type, content } of all) {
    if (type !== 'ispe') continue
    const place = take(content, 4, 8)
    const one = { width: place.readUInt32BE(0), height: place.readUInt32BE(4) }
    if (!size || one.width * one.height > size.width * size.height) size = one
  }
  if (!size || size.width === 0 || size.height === 0) throw cutOff()
  const isTurned = all.some(({ type, content }) => type === 'irot' && ((content[0] ?? 0) & 1) === 1)
  const { width, height } = size
  const shown = isTurned ? { width: height, height: width } : { width, height }
  return { ...shown, frames: 1, bytes: file }
}

/** Of one level; an image has some dozens, and they are all held at a time. */
const mostBoxes = 100_000

/** @throws ImageFault unless they fill the bytes */
function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < bytes.length; ) {
    if (boxes.length === mostBoxes)
      throw new ImageFault('The AVIF image consists of too many parts; export it again')
    const header = take(bytes, at, 8)
    const type = header.toString('latin1', 4, 8)
    const given = header.readUInt32BE(0)
    const isLong = given === 1
    const length =
      given === 0 ? bytes.length - at : isLong ? Number(take(bytes, at + 8, 8).readBigUInt64BE()) : given
    const start = isLong ? 16 : 8
    if (length < start) throw cutOff()
    boxes.push({ type, content: take(bytes, at, length).subarray(start) })
    at += length
  }
  return boxes
}

function itemTypes(meta: readonly Box[]): string[] {
  return meta
    .filter(({ type }) => type === 'iinf')
    .flatMap(({ content }) => {
      const countBytes = take(content, 0, 1)[0] === 0 ? 2 : 4
      const entries = boxesIn(take(content, 4 + countBytes, content.length - 4 - countBytes))
      return entries.map(({ type, content: entry }) => {
        const version = take(entry, 0, 1)[0] as number
        // Older entries name no type; nothing that writes AVIF makes them.
        if (type !== 'infe' || version < 2) throw cutOff()
        return take(entry, version === 2 ? 8 : 10, 4).toString('latin1')
      })
    })
}
