import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { avifOf, exifOf, gifOf, jpegOf, pngOf, videoOf, webpOf } from '../../kit/pictures.ts'
import { measureTurns } from '../../kit/turns.ts'

/** How many files are made; `COPYDESK_HOSTILE=1000` for all. */
const count = Number(process.env['COPYDESK_HOSTILE'] ?? 45)

const script = '<script>alert(document.domain)</script>'
const page = `<!DOCTYPE html><html><body onload="alert(1)">${script}</body></html>`
const svg = (inner: string, head = '') =>
  Buffer.from(`${head}<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inner}</svg>`)
const text = (content: string) => Buffer.from(content, 'latin1')
const joined = (...parts: Uint8Array[]) => Buffer.concat(parts)

/** Each makes a file that differs by its number. */
const makers: ReadonlyArray<readonly [what: string, make: (n: number) => Buffer]> = [
  ['a PNG that says to be huge', (n) => pngOf({ width: 50_000 + n, height: 50_000, pixels: false })],
  ['a PNG that is less than it says', (n) => pngOf({ width: 4_000 + n, height: 4_000, pixels: false })],
  [
    'a text of PNG that unpacks to much',
    () => pngOf({}, [['zTXt', `a\0\0${deflateSync(Buffer.alloc(5_000_000)).toString('latin1')}`]]),
  ],
  ['a PNG with a page in a text', () => pngOf({}, [['tEXt', page]])],
  ['a PNG with a page behind it', () => joined(pngOf(), text(page))],
  ['a PNG with an archive behind it', () => joined(pngOf(), text('PK\x03\x04META-INF/MANIFEST.MF'))],
  ['a cut PNG', (n) => pngOf().subarray(0, 20 + (n % 40))],
  ['a JPEG with a page in its comment', () => jpegOf({}, [[0xfe, text(page)]])],
  ['a JPEG with a script in EXIF', () => jpegOf({}, [[0xe1, joined(exifOf(1), text(script))]])],
  [
    'a JPEG with a program in EXIF',
    () => jpegOf({}, [[0xe1, joined(exifOf(3), text('<?php system($_GET[0]); ?>'))]]),
  ],
  ['a JPEG with a page behind it', () => joined(jpegOf(), text(page))],
  ['a JPEG that says to be huge', () => jpegOf({ width: 65_535, height: 65_535 })],
  ['a cut JPEG', (n) => jpegOf().subarray(0, 30 + (n % 100))],
  ['a GIF that is a script', () => text(`GIF89a/*${'\0'.repeat(20)}*/=alert(1)//${script}`)],
  ['a GIF with a page in its comment', () => gifOf({}, page)],
  ['a GIF with an archive behind it', () => joined(gifOf(), text('PK\x03\x04'), text(page))],
  ['a GIF of many huge pictures', (n) => gifOf({ width: 9_000, height: 9_000, frames: 10 + n })],
  ['a WebP with a page in XMP', () => webpOf({}, [['XMP ', page]])],
  ['a WebP with a page in an unknown part', () => webpOf({}, [['HTML', page]])],
  ['a WebP that says to be longer', () => webpOf().fill(0xff, 4, 7)],
  ['an AVIF with EXIF', () => avifOf({}, ['Exif'])],
  ['an AVIF with a page behind it', () => joined(avifOf(), text(page))],
  ['an SVG with a script', () => svg(script)],
  [
    'an SVG with a page in it',
    () => svg(`<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">${script}</body></foreignObject>`),
  ],
  ['an SVG with a handler', () => svg('<image href="x" onerror="alert(1)"/>')],
  ['an SVG that reads files', () => svg('<image href="file:///etc/passwd"/><use href="http://127.0.0.1/"/>')],
  [
    'an SVG with entities that grow',
    () => svg('&b;', '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'),
  ],
  [
    'an SVG with a file as an entity',
    () => svg('&x;', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
  ],
  [
    'commands for a converter',
    () => text('push graphic-context\nfill "url(https://a.example/|ls)"\npop graphic-context'),
  ],
  ['a page', () => text(page)],
  ['a page that begins like an image', () => text(`BM${page}`)],
  ['a page that begins like a PNG', () => joined(pngOf().subarray(0, 8), text(page))],
  ['a page that begins like a JPEG', () => text(`\xff\xd8\xff\xe0${page}`)],
  [
    'a PDF with a script',
    () => text(`%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n${page}`),
  ],
  ['a video with a page in it', () => joined(videoOf('isom'), text(page))],
  ['a program', () => text('\x7fELF\x02\x01\x01')],
  ['a script for a shell', () => text('#!/bin/sh\nid')],
  ['a style sheet for XML', () => text('<?xml version="1.0"?><xsl:stylesheet/>')],
  ['nothing', () => Buffer.alloc(0)],
  ['zeros', (n) => Buffer.alloc(1 + n)],
]
const names = ['a.png', 'a.html', 'a.svg', 'a.js', 'a.jpg', '..\\a.html', 'a.png.html', 'a"\r\nX: 1.html']
const inlineTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'])

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp({ worker: false })
})
afterAll(() => app[Symbol.asyncDispose]())

async function send(bytes: Buffer, name: string) {
  const body = new FormData()
  body.append('file', new Blob([bytes as BlobPart], { type: 'text/html' }), name)
  const answer = await app.fetch('/media/v1/assets', {
    method: 'POST',
    headers: { authorization: `Bearer ${team.adminToken}` },
    body,
  })
  return { status: answer.status, body: (await answer.json()) as { id: string; sizeBytes: number } }
}

/** Bytes that repeat, about 12 MB. */
const many = (part: Buffer) => Buffer.alloc(12_000_000 - (12_000_000 % part.length), part)
const within = (file: Buffer, at: number, part: Buffer) =>
  joined(file.subarray(0, at), many(part), file.subarray(at))

/** A WebP with so many empty colour profiles behind its picture. */
function webpOfMany(): Buffer {
  const file = joined(webpOf(), many(text('ICCP\0\0\0\0')))
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

describe('media.assets.create', () => {
  it.each([
    ['a GIF', () => within(gifOf(), gifOf().length - 1, text('\x21\xf9\0'))],
    ['a JPEG', () => within(jpegOf(), 2, text('\xff\xdb\0\x02'))],
    ['a PNG', () => within(pngOf(), 33, pngOf({}, [['tRNS', '']]).subarray(33, 45))],
    ['a WebP', webpOfMany],
  ])('takes %s of millions of parts, and others are answered meanwhile', async (what, make) => {
    team = await app.team()
    const bytes = make()
    const { value, longestMs } = await measureTurns(() => send(bytes, 'a'))
    expect(value, what).toMatchObject({ status: 201, body: { sizeBytes: bytes.length } })
    expect(longestMs).toBeLessThan(400)
  })
})

describe('media.assets.create of an AVIF', () => {
  it('rejects one of millions of parts, and others are answered meanwhile', async () => {
    team = await app.team()
    const bytes = joined(avifOf(), many(text('\0\0\0\x08free')))
    const { value, longestMs } = await measureTurns(() => send(bytes, 'a'))
    expect(value).toMatchObject({ status: 400, body: { error: { field: 'file' } } })
    expect(longestMs).toBeLessThan(400)
  })
})

describe('media.assets.content', () => {
  const read = async (id: string, query: string) => {
    const answer = await app.fetch(`/media/v1/assets/${id}/content${query}`, {
      headers: { authorization: `Bearer ${team.adminToken}` },
    })
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
  }

  it('shows no file as a page that can run anything', async () => {
    const outcomes = new Map<string, number>()
    for (let n = 0; n < count; n += 1) {
      // The requests of a user are limited.
      if (n % 40 === 0) team = await app.team()
      const [what, make] = makers[n % makers.length] as (typeof makers)[number]
      const name = names[n % names.length] as string
      const { status, body } = await send(make(n), name)
      outcomes.set(`${status}`, (outcomes.get(`${status}`) ?? 0) + 1)
      expect([201, 400, 413], what).toContain(status)
      if (status !== 201) continue
      for (const query of ['', '?w=320']) {
        const { answer, bytes } = await read(body.id, query)
        const header = (of: string) => answer.headers.get(of) ?? ''
        expect(answer.status, what).toBe(200)
        expect(header('x-content-type-options'), what).toBe('nosniff')
        expect(header('content-security-policy'), what).toBe("default-src 'none'; sandbox")
        const isInline = !header('content-disposition').startsWith('attachment')
        expect(isInline && !inlineTypes.has(header('content-type')), what).toBe(false)
        expect(isInline && /<script|<html|<\?php|PK\x03\x04/.test(bytes.toString('latin1')), what).toBe(false)
        expect(header('content-disposition'), what).not.toMatch(/[\r\n]/)
      }
    }
    // Both happen, or this would prove nothing.
    expect([...outcomes.keys()].toSorted()).toEqual(['201', '400'])
  })
})
