import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseDocument } from '../../../packages/core/src/platform/parsing/parse.ts'
import { ParseFault } from '../../../packages/core/src/platform/parsing/parsed.ts'
import { shortly } from '../../kit/documents.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'copydesk-parts-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function read(content: Uint8Array | string, fileName: string) {
  const path = join(folder, fileName)
  await writeFile(path, content)
  return parseDocument({ source: { path }, fileName, engine: 'ADVANCED' })
}

/** Three bytes a character, so that most parts of a file end within one. */
const paragraph = '€ŁÖ'.repeat(33)

const paragraphsOf = (count: number, words = paragraph) =>
  Array.from({ length: count }, (_, n) => `${n} ${words}`)

describe('parseDocument, of files that are read in parts', () => {
  it.each([
    ['UTF-8', paragraph, (text: string) => Buffer.from(text)],
    ['UTF-8 with a mark', paragraph, (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', paragraph, (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without a mark', 'größer'.repeat(16), (text: string) => Buffer.from(text, 'utf16le')],
  ])('reads long texts in %s', async (_, words, encode) => {
    const paragraphs = paragraphsOf(60_000, words)
    const { blocks } = await read(encode(paragraphs.join('\n\n')), 'a.txt')
    expect(blocks.map(({ text }) => text)).toEqual(paragraphs)
  })

  it('reads a long text of which one line is in another encoding', async () => {
    const lines = paragraphsOf(60_000)
    const last = Buffer.from('\n\ngr\xf6\xdfer', 'latin1')
    const { blocks } = await read(Buffer.concat([Buffer.from(lines.join('\n\n')), last]), 'a.txt')
    expect([blocks.at(-2)?.text, blocks.at(-1)?.text]).toEqual([lines.at(-1), 'größer'])
  })

  it.each([
    ['utf-8', (text: string) => Buffer.from(text)],
    ['iso-8859-1', (text: string) => Buffer.from(text, 'latin1')],
  ])(
    'reads the text of a web page of 20 MB in %s, in which nearly all is a script',
    async (charset, encode) => {
      const script = '"größer",'.repeat(2_200_000)
      const page = `<html><head><meta charset="${charset}"><title>Größe</title><script>[${script}]</script></head>
      <body><nav><a href="/">Menü</a></nav><main><h1>Größer</h1><p>Schöne Grüße</p></main></body></html>`
      const document = await read(encode(page), 'a.html')
      expect(document).toMatchObject({ kind: 'html', title: 'Größe' })
      expect(shortly(document)).toEqual(['h1 Größer', 'text Schöne Grüße'])
    },
  )

  it('rejects more text than a document may have', async () => {
    const fault = await read('words '.repeat(4_000_000), 'a.md').catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(ParseFault)
    expect(fault).toMatchObject({ reason: 'too_large' })
  })
})
