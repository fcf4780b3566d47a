import mammoth from 'mammoth'
import { damaged } from './faults.ts'
import { toBlock } from './html-frames.ts'
import { scanHtml } from './html-scan.ts'
import { createBlockList } from './limits.ts'
import { propertiesOf } from './ooxml.ts'
import { type ParsedDocument, ParseFault } from './parsed.ts'
import type { DocumentSource } from './source.ts'
import { elementsOf } from './xml.ts'
import { openZip, type ZipEntries } from './zip.ts'

/** Reads a Word document: Mammoth says by its styles what is a heading, a list or a table. @throws ParseFault */
export async function parseDocx(source: DocumentSource): Promise<ParsedDocument> {
  using zip = await openZip(source)
  const { title, language } = await propertiesOf(zip)
  const list = createBlockList()
  for (const block of scanHtml(await toHtml(zip)).blocks) list.add(toBlock(block))
  return {
    kind: 'docx',
    title,
    language: language ?? (await styleLanguage(zip)),
    pages: null,
    blocks: list.blocks,
  }
}

type MammothInput = Parameters<typeof mammoth.convertToHtml>[0]

async function toHtml(zip: ZipEntries): Promise<string> {
  // Mammoth would unpack the bytes itself, without a limit. It also reads from what has the functions of its own ZIP files.
  const file = { exists: zip.has, read: (name: string) => readPart(zip, name) }
  try {
    const { value } = await mammoth.convertToHtml({ file } as unknown as MammothInput, {
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Quote'] => p:fresh"],
      includeEmbeddedStyleMap: false,
      // Pictures are not read.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    })
    return value.replace(/<a href="#(?:foot|end)note-ref-[^"]*">↑<\/a>/g, '')
  } catch (error) {
    throw error instanceof ParseFault ? error : damaged(error)
  }
}

/** The text of a part. Definitions of entities are refused: Office documents have none. */
async function readPart(zip: ZipEntries, name: string): Promise<string> {
  const bytes = await zip.read(name)
  const text = new TextDecoder(
    bytes[0] === 0xff ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8',
  ).decode(bytes)
  if (text.includes('<!DOCTYPE')) throw damaged()
  return text
}

/** The language that the styles set for all text. */
async function styleLanguage(zip: ZipEntries): Promise<string | null> {
  const part = 'word/styles.xml'
  if (!zip.has(part)) return null
  for await (const { attributes } of elementsOf(zip.stream(part), 'lang')) return attributes['w:val'] ?? null
  return null
}
