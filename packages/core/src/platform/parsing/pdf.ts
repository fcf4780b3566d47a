import { getDocumentProxy } from 'unpdf'
import { damaged, locked, tooManyPages } from './faults.ts'
import { checkLength, createBlockList, parsingLimits } from './limits.ts'
import { type ParsedDocument, type ParseEngine, ParseFault } from './parsed.ts'
import { createPdfLayout } from './pdf-layout.ts'
import { readPieces } from './pdf-pieces.ts'
import { plainParagraphs } from './pdf-plain.ts'

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>

/** Pages after which what the library keeps of them is let go. */
const pagesAtOnce = 20

/**
 * Reads a PDF page by page, by its layout or as the text comes.
 * @throws ParseFault `encrypted`, `too_many_pages`, `no_text`, `too_large`, `corrupt`
 */
export async function parsePdf(bytes: Uint8Array, engine: ParseEngine): Promise<ParsedDocument> {
  const pdf = await openPdf(bytes)
  try {
    const { numPages: pages } = pdf
    if (pages > parsingLimits.pages) throw tooManyPages(pages, parsingLimits.pages, 'pages')
    const { info } = await pdf.getMetadata()
    const blocks = await readPages(pdf, engine)
    return { kind: 'pdf', title: textIn(info, 'Title'), language: textIn(info, 'Language'), pages, blocks }
  } catch (error) {
    throw toFault(error)
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function readPages(pdf: PdfDocument, engine: ParseEngine) {
  const list = createBlockList()
  const layout = createPdfLayout()
  let characters = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number)
    const text = await readPieces(page)
    page.cleanup()
    characters += text.pieces.reduce((sum, piece) => sum + piece.text.length, 0)
    checkLength(characters)
    if (number % pagesAtOnce === 0) await pdf.cleanup()
    if (engine === 'ADVANCED') layout.add(number, text)
    else
      for (const paragraph of plainParagraphs(text.pieces))
        list.add({ kind: 'text', text: paragraph, page: number })
  }
  for (const block of layout.end()) list.add(block)
  if (list.blocks.length === 0) throw onlyPictures()
  return list.blocks
}

async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // Takes the bytes over, and wants no Buffer.
    return await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      verbosity: 0,
    })
  } catch (error) {
    throw toFault(error)
  }
}

function toFault(error: unknown): unknown {
  if (error instanceof ParseFault || !(error instanceof Error)) return error
  return error.name === 'PasswordException' ? locked() : damaged(error)
}

const onlyPictures = () =>
  new ParseFault(
    'no_text',
    'This PDF has no text, only pictures of pages (a scan). Run text recognition (OCR) over it, and upload the result.',
  )

/** An entry of what a PDF says about itself. */
function textIn(info: object, name: string): string | null {
  const value: unknown = Reflect.get(info, name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
