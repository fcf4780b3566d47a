import { detectKind, unknownFile } from './kinds.ts'
import { parsingLimits } from './limits.ts'
import {
  type DocumentKind,
  isSectionMark,
  type ParsedDocument,
  type ParseEngine,
  ParseFault,
} from './parsed.ts'
import { type DocumentSource, sourceSize, wholeOf } from './source.ts'

export interface DocumentToParse {
  source: DocumentSource
  /** As it was uploaded; it decides only between kinds of text. */
  fileName: string
  engine: ParseEngine
}

/**
 * Reads a document of any kind. It takes memory and time within limits, and runs in a thread: see `createParser`.
 * @throws ParseFault
 */
export async function parseDocument({ source, fileName, engine }: DocumentToParse): Promise<ParsedDocument> {
  const size = await sourceSize(source)
  if (size > parsingLimits.fileBytes) throw fileTooLarge()
  if (size === 0) throw new ParseFault('no_text', 'This file is empty.')
  const kind = await detectKind(source, fileName)
  if (!kind) throw unknownFile()
  const document = await readAs(kind, source, engine).catch((error: unknown) => {
    throw error instanceof ParseFault ? error : unreadable(error)
  })
  if (document.blocks.every(({ text }) => isSectionMark(text)))
    throw new ParseFault('no_text', 'This file has no text in it.')
  return document
}

export const fileTooLarge = () =>
  new ParseFault(
    'too_large',
    `This file is larger than ${parsingLimits.fileBytes / 2 ** 20} MB. Split it into several files and upload those.`,
  )

/** What the libraries throw for files that they were not made for. */
const unreadable = (cause: unknown) =>
  new ParseFault(
    'corrupt',
    'This file cannot be read: it is damaged, or too much is in one place. Save it again, or as PDF, and upload the new file.',
    cause,
  )

/** Each kind loads only the libraries that it needs. The whole of a file is in memory only where its kind needs that. */
async function readAs(
  kind: DocumentKind,
  source: DocumentSource,
  engine: ParseEngine,
): Promise<ParsedDocument> {
  switch (kind) {
    case 'pdf':
      return (await import('./pdf.ts')).parsePdf(await wholeOf(source), engine)
    case 'docx':
      return (await import('./docx.ts')).parseDocx(source)
    case 'pptx':
      return (await import('./pptx.ts')).parsePptx(source)
    case 'xlsx':
      return (await import('./xlsx.ts')).parseXlsx(source)
    case 'html':
      return (await import('./html.ts')).parseHtmlFile(source)
    case 'markdown':
      return (await import('./markdown.ts')).parseMarkdown(source)
    case 'text':
      return (await import('./text.ts')).parseText(source)
    case 'csv':
      return (await import('./csv.ts')).parseCsv(source)
  }
}
