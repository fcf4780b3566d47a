/** The kinds of documents that are read, with their MIME types. */
export const documentTypes = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  csv: 'text/csv',
} as const

export type DocumentKind = keyof typeof documentTypes

/**
 * How PDFs are read. `NATIVE`: the text of each page in the order of the file. `ADVANCED`: by the layout of the pages, with columns,
 * headings, tables and lists. Other documents say themselves what is what, and are read the same way with both.
 */
export type ParseEngine = 'NATIVE' | 'ADVANCED'

export type HeadingLevel = 1 | 2 | 3 | 4 | 5 | 6

/** A part of a document. */
export interface Block {
  kind: 'heading' | 'text' | 'table' | 'code'
  /** Of a heading; 1 is the highest. */
  level?: HeadingLevel
  /**
   * One heading, paragraph, list, table or piece of code. Lists and tables are Markdown. A horizontal rule is the text `---`, and
   * the comment `<!-- chunk -->` is kept: see `isSectionMark`.
   */
  text: string
  /** The page or slide that it begins on, from 1. */
  page?: number
}

/** Whether a line is one by which authors part sections: a horizontal rule of Markdown, or the comment `<!-- chunk -->`. */
export const isSectionMark = (line: string) => /^\s*(?:-{3,}|\*{3,}|<!--\s*chunk\s*-->)\s*$/.test(line)

/** What a file says, in reading order. */
export interface ParsedDocument {
  /** By the content of the file, not by its name. */
  kind: DocumentKind
  /** The title that the document gives itself. */
  title: string | null
  /** The language that the document itself names, such as `de-DE`. */
  language: string | null
  /** How many pages or slides it has; null where it is not divided into pages. */
  pages: number | null
  blocks: Block[]
}

export type ParseReason =
  | 'unsupported'
  | 'encrypted'
  | 'no_text'
  | 'too_large'
  | 'too_many_pages'
  | 'too_deep'
  | 'too_slow'
  | 'corrupt'

/** Why no text could be read from a file. The message is for the person who uploaded it: what is wrong, and what to do. */
export class ParseFault extends Error {
  override readonly name = 'ParseFault'
  readonly reason: ParseReason

  constructor(reason: ParseReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
