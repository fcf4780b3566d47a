import { open } from 'node:fs/promises'
import { decodeText } from './decode.ts'
import { locked } from './faults.ts'
import { type DocumentKind, ParseFault } from './parsed.ts'
import { type DocumentSource, wholeOf } from './source.ts'

const headBytes = 65_536

/**
 * Says what a file is by its content. The name decides only between kinds of text.
 * @returns undefined where nothing is known of such a file
 * @throws ParseFault `unsupported` or `encrypted` for a file that is known and not read, `corrupt` for a broken ZIP file
 */
export async function detectKind(
  source: DocumentSource,
  fileName: string,
): Promise<DocumentKind | undefined> {
  const head = await headOf(source)
  const start = latin1(head.subarray(0, 1024))
  if (await isPdf(source, start)) return 'pdf'
  if (/^PK[\x03\x05]/.test(start)) return kindOfZip(source)
  if (start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) throw oldOffice(await wholeOf(source))
  const text = asText(head)
  if (text !== undefined) return kindOfText(text, fileName)
  const type = await sniff(await wholeOf(source))
  if (type) throw notRead(type)
  return undefined
}

async function headOf(source: DocumentSource): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source.subarray(0, headBytes)
  const file = await open(source.path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Programs may put something before the mark; a text may quote it. */
async function isPdf(source: DocumentSource, start: string): Promise<boolean> {
  if (start.startsWith('%PDF-')) return true
  if (!/\s%PDF-\d/.test(start)) return false
  const bytes = await wholeOf(source)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('endobj')
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

const sniff = async (bytes: Uint8Array) => {
  const { fileTypeFromBuffer } = await import('file-type')
  return fileTypeFromBuffer(bytes)
}

/** The beginning as text; undefined where it is none. Signatures of two letters, as pictures have, also begin words. */
function asText(head: Uint8Array): string | undefined {
  const text = decodeText(head)
  const odd = (part: string, pattern: RegExp) => part.match(pattern)?.length ?? 0
  const isBinary = odd(text.slice(0, 256), /[\0-\x08\x0e-\x1a\x1c-\x1f]/g) > 2
  return isBinary || odd(text, /[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g) > 2 + text.length / 100
    ? undefined
    : text
}

/** Whether a text begins as HTML, after comments and a declaration of XML. */
function isHtml(text: string): boolean {
  let rest = text.trimStart()
  for (;;) {
    const mark = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '>' : undefined
    const end = mark === undefined ? -1 : rest.indexOf(mark)
    if (mark === undefined || end < 0) return /^<(?:!doctype\s+html|html|head|body)\b/i.test(rest)
    rest = rest.slice(end + mark.length).trimStart()
  }
}

function kindOfText(text: string, fileName: string): DocumentKind {
  if (text.startsWith('{\\rtf')) throw saveAs('a rich text document (RTF)', 'DOCX or PDF')
  if (text.startsWith('%!PS')) throw saveAs('a PostScript document', 'PDF')
  if (isHtml(text)) return 'html'
  const [, ending = ''] = /\.([a-z]+)$/i.exec(fileName) ?? []
  if (/^x?html?$/i.test(ending)) return 'html'
  if (/^(?:md|markdown)$/i.test(ending)) return 'markdown'
  return /^[ct]sv$/i.test(ending) ? 'csv' : 'text'
}

async function kindOfZip(source: DocumentSource): Promise<DocumentKind> {
  const { zipNames } = await import('./zip.ts')
  const listed = await zipNames(source)
  if (listed.has('word/document.xml')) return 'docx'
  if (listed.has('ppt/presentation.xml')) return 'pptx'
  if (listed.has('xl/workbook.xml')) return 'xlsx'
  const names = [...listed]
  // Some programs name the main part otherwise; the folder stays.
  const inFolder = (folder: string) => names.some((name) => name.startsWith(folder))
  if (inFolder('word/')) return 'docx'
  if (inFolder('ppt/')) return 'pptx'
  if (names.includes('xl/workbook.bin')) throw saveAs('a binary Excel workbook (XLSB)', 'XLSX')
  if (inFolder('xl/')) return 'xlsx'
  throw notRead((await sniff(await wholeOf(source))) ?? { ext: 'zip', mime: 'application/zip' })
}

/** What the storages of an old Office file, or one with a password, are called; names are in UTF-16. */
const storages: ReadonlyArray<[string, () => ParseFault]> = [
  ['EncryptedPackage', locked],
  ['WordDocument', () => saveAs('a Word document in the old format (DOC)', 'DOCX')],
  ['Workbook', () => saveAs('an Excel workbook in the old format (XLS)', 'XLSX')],
  ['PowerPoint Document', () => saveAs('a PowerPoint presentation in the old format (PPT)', 'PPTX')],
]

function oldOffice(bytes: Uint8Array): ParseFault {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [, fault] = storages.find(([name]) => file.includes(name, 0, 'utf16le')) ?? []
  return fault?.() ?? saveAs('a document in an old Office format', 'DOCX, XLSX, PPTX or PDF')
}

const saveAs = (what: string, target: string) =>
  new ParseFault(
    'unsupported',
    `This is ${what}, which cannot be read. Save it as ${target} and upload that file.`,
  )

const read =
  'PDF, Word (DOCX), PowerPoint (PPTX), Excel (XLSX), HTML, Markdown, plain text and CSV files can be read.'

/** The fault of a file of which nothing more is known. */
export const unknownFile = () =>
  new ParseFault('unsupported', `It is not known what kind of file this is. ${read}`)

function notRead({ ext, mime }: { ext: string; mime: string }): ParseFault {
  const name = ext.toUpperCase()
  if (mime.startsWith('image/'))
    return new ParseFault(
      'unsupported',
      `This is a picture (${name}). Text in pictures is not read: upload a document that contains the text.`,
    )
  if (/^(?:audio|video)\//.test(mime))
    return new ParseFault(
      'unsupported',
      `This is a recording (${name}). Upload its transcript as a document.`,
    )
  if (/^(?:zip|rar|7z|tar|gz|bz2|xz|zst)$/.test(ext))
    return new ParseFault(
      'unsupported',
      `This is an archive (${name}). Unpack it and upload the documents in it.`,
    )
  if (/opendocument|epub|iwork|apple\.(?:pages|numbers|keynote)/.test(mime))
    return saveAs(`a document of type ${name}`, 'PDF or DOCX')
  return new ParseFault('unsupported', `This is a file of type ${name}. ${read}`)
}
