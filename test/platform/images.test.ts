import { describe, expect, it } from 'vitest'
import { cleanImage, type RasterType } from '../../packages/core/src/platform/images/clean.ts'
import { assetTypeOf } from '../../packages/core/src/platform/images/kinds.ts'
import { avifOf, exifOf, gifOf, jpegOf, pngOf, videoOf, webpOf } from '../kit/pictures.ts'

const secret = 'Camera of Mia'
const script = '<script>alert(1)</script>'
const clean = (type: RasterType, bytes: Uint8Array) => {
  const { bytes: left, ...about } = cleanImage(type, bytes)
  return { ...about, bytes: Buffer.from(left) }
}

const plain: ReadonlyArray<[RasterType, Buffer, { width: number; height: number }]> = [
  ['image/jpeg', jpegOf(), { width: 8, height: 8 }],
  ['image/png', pngOf(), { width: 4, height: 3 }],
  ['image/gif', gifOf(), { width: 1, height: 1 }],
  ['image/webp', webpOf(), { width: 2, height: 2 }],
  ['image/avif', avifOf(), { width: 64, height: 48 }],
]

describe('cleanImage', () => {
  it.each(plain)('reads the size of %s, and of its clean form the same', (type, bytes, size) => {
    const once = clean(type, bytes)
    expect(once).toMatchObject({ ...size, frames: 1 })
    expect(assetTypeOf(bytes)).toBe(type)
    expect(clean(type, once.bytes).bytes.equals(once.bytes)).toBe(true)
  })

  it.each<[string, RasterType, Buffer]>([
    ['EXIF of JPEG', 'image/jpeg', jpegOf({}, [[0xe1, exifOf(1)]])],
    [
      'XMP of JPEG',
      'image/jpeg',
      jpegOf({}, [[0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${secret}`)]]),
    ],
    ['IPTC of JPEG', 'image/jpeg', jpegOf({}, [[0xed, Buffer.from(`Photoshop 3.0\0${secret}`)]])],
    ['a comment of JPEG', 'image/jpeg', jpegOf({}, [[0xfe, Buffer.from(secret)]])],
    ['what follows a JPEG', 'image/jpeg', Buffer.concat([jpegOf(), Buffer.from(secret)])],
    ['a text of PNG', 'image/png', pngOf({}, [['tEXt', secret]])],
    ['EXIF of PNG', 'image/png', pngOf({}, [['eXIf', secret]])],
    ['an unknown chunk of PNG', 'image/png', pngOf({}, [['prVt', secret]])],
    ['what follows a PNG', 'image/png', Buffer.concat([pngOf(), Buffer.from(secret)])],
    ['a comment of GIF', 'image/gif', gifOf({}, secret)],
    ['what follows a GIF', 'image/gif', Buffer.concat([gifOf(), Buffer.from(secret)])],
    ['EXIF of WebP', 'image/webp', webpOf({}, [['EXIF', secret]])],
    ['XMP of WebP', 'image/webp', webpOf({}, [['XMP ', secret]])],
    ['what follows a WebP', 'image/webp', Buffer.concat([webpOf(), Buffer.from(secret)])],
  ])('removes %s', (_, type, bytes) => {
    expect(bytes.includes(secret)).toBe(true)
    const { bytes: left } = clean(type, bytes)
    expect(left.includes(secret)).toBe(false)
    expect(assetTypeOf(left)).toBe(type)
  })

  it('keeps of EXIF how a JPEG is turned, and swaps the sides that are shown', () => {
    for (const order of ['II', 'MM'] as const)
      for (let orientation = 1; orientation <= 8; orientation += 1) {
        const once = clean(
          'image/jpeg',
          jpegOf({ width: 30, height: 20 }, [[0xe1, exifOf(orientation, order)]]),
        )
        const shown = orientation > 4 ? { width: 20, height: 30 } : { width: 30, height: 20 }
        expect(once, `orientation ${orientation}`).toMatchObject(shown)
        expect(clean('image/jpeg', once.bytes)).toMatchObject(shown)
        expect(once.bytes.includes('GPS')).toBe(false)
      }
  })

  it('takes no AVIF with metadata, which cannot be taken out, and swaps the sides of a turned one', () => {
    for (const type of ['Exif', 'mime'])
      expect(() => clean('image/avif', avifOf({}, [type]))).toThrow('contains EXIF or XMP')
    expect(clean('image/avif', avifOf({ turned: true }))).toMatchObject({ width: 48, height: 64 })
  })

  it('rejects what is cut off anywhere', () => {
    for (const [type, bytes] of plain)
      for (let length = 12; length < bytes.length; length += 1)
        expect(() => clean(type, bytes.subarray(0, length)), `${type} to ${length}`).toThrow(
          'cut off or damaged',
        )
  })

  it('never fails otherwise than by a refusal, whatever byte is changed', () => {
    const outcome = (type: RasterType, bytes: Uint8Array) => {
      try {
        clean(type, bytes)
        return 'taken'
      } catch (error) {
        return (error as Error).name
      }
    }
    const others = new Set<string>()
    for (const [type, bytes] of plain)
      for (let at = 0; at < bytes.length; at += 1)
        for (const value of [0, 0x7f, 0xff]) {
          const changed = Buffer.from(bytes)
          changed[at] = value
          others.add(outcome(type, changed))
        }
    expect([...others].toSorted()).toEqual(['ImageFault', 'taken'])
  })

  it('rejects pictures that are too large to be shown', () => {
    expect(() => clean('image/png', pngOf({ width: 60_000, height: 60_000, pixels: false }))).toThrow(
      '100 megapixels',
    )
    expect(() => clean('image/gif', gifOf({ width: 9_000, height: 9_000, frames: 5 }))).toThrow('animation')
    expect(() => clean('image/webp', webpOf({ width: 16_383, height: 16_383 }))).toThrow('megapixels')
  })
})

describe('assetTypeOf', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['MP4', videoOf('isom'), 'video/mp4'],
    ['MOV', videoOf('qt  '), 'video/quicktime'],
    ['WebM', Buffer.from('\x1a\x45\xdf\xa3\x9fB\x82\x84webm', 'latin1'), 'video/webm'],
    ['Matroska', Buffer.from('\x1a\x45\xdf\xa3\x9fB\x82\x88matroska', 'latin1'), undefined],
    ['HEIC', videoOf('heic'), undefined],
    ['PDF', Buffer.from('%PDF-1.7'), 'application/pdf'],
    ['SVG', Buffer.from('<svg xmlns="x"/>'), 'image/svg+xml'],
    [
      'SVG behind a head',
      Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg>\n<svg>'),
      'image/svg+xml',
    ],
    ['HTML', Buffer.from('<html><svg></svg></html>'), undefined],
    ['HTML with a comment first', Buffer.from(`<!-- <svg> -->${script}`), undefined],
    ['a text', Buffer.from('svg'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
    ['an archive', Buffer.from('PK\x03\x04'), undefined],
    ['a program', Buffer.from('\x7fELF'), undefined],
    ['BMP', Buffer.from('BM'), undefined],
    ['comments without end', Buffer.from('<!--'.repeat(1_000)), undefined],
  ])('tells %s by its content', (_, bytes, type) => {
    expect(assetTypeOf(bytes)).toBe(type)
  })
})
