import { marked, type Token, type Tokens } from 'marked'
import { PDFDocument } from 'pdfkit'
import { type Font, fontFile } from './fonts.ts'

/** What stands in a PDF about itself. */
export interface PdfInfo {
  title: string
  createdOn: Date
}

const margin = 56
const size = { 1: 20, 2: 14, 3: 12, 4: 11, 5: 10, 6: 10 } as const
const body = 10
const ink = '#1a1a1a'
const rule = '#b8b8b8'

interface Run {
  text: string
  bold?: boolean
  italic?: boolean
  code?: boolean
  link?: string
}

/** Sets Markdown on A4 pages: headings, paragraphs, lists, tables, quotes, code, rules. Markup of HTML is shown as text. */
export function layout(markdown: string, info: PdfInfo): Promise<Uint8Array> {
  const doc = new PDFDocument({
    size: 'A4',
    font: fontFile('text'),
    margins: { top: margin, bottom: margin, left: margin, right: margin },
    info: { Title: info.title, CreationDate: info.createdOn, Producer: 'Copydesk', Creator: 'Copydesk' },
  })
  const chunks: Uint8Array[] = []
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    doc.on('data', (chunk) => void chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  doc.fillColor(ink)
  for (const token of marked.lexer(markdown)) block(doc, token, 0)
  doc.end()
  return whole
}

function block(doc: PDFDocument, token: Token, depth: number): void {
  switch (token.type) {
    case 'space':
      return
    case 'heading': {
      const { depth: level, tokens } = token as Tokens.Heading
      doc.moveDown(level === 1 ? 0 : 0.6)
      write(doc, runsOf(tokens, { bold: true }), size[level as keyof typeof size], depth)
      doc.moveDown(0.3)
      return
    }
    case 'list':
      for (const [at, item] of (token as Tokens.List).items.entries()) {
        const { ordered, start } = token as Tokens.List
        const mark = ordered ? `${(start || 1) + at}. ` : '•  '
        listItem(doc, item, mark, depth)
      }
      doc.moveDown(0.4)
      return
    case 'table':
      table(doc, token as Tokens.Table)
      return
    case 'blockquote':
      for (const inner of (token as Tokens.Blockquote).tokens) block(doc, inner, depth + 1)
      return
    case 'code':
      write(doc, [{ text: (token as Tokens.Code).text, code: true }], body - 1, depth + 1)
      doc.moveDown(0.5)
      return
    case 'hr':
      line(doc, doc.y + 4)
      doc.moveDown(1)
      return
    default: {
      const { tokens, raw } = token as { tokens?: Token[]; raw: string }
      write(doc, tokens ? runsOf(tokens) : [{ text: raw.trim() }], body, depth)
      doc.moveDown(0.5)
    }
  }
}

function listItem(doc: PDFDocument, item: Tokens.ListItem, mark: string, depth: number): void {
  const isText = ({ type }: Token) => type === 'text' || type === 'paragraph'
  const first = item.tokens.find(isText) as { tokens?: Token[]; text: string } | undefined
  const runs = first?.tokens ? runsOf(first.tokens) : [{ text: first?.text ?? '' }]
  write(doc, [{ text: mark }, ...runs], body, depth + 1)
  for (const inner of item.tokens) if (inner !== first) block(doc, inner, depth + 1)
}

function runsOf(tokens: readonly Token[], style: Omit<Run, 'text'> = {}): Run[] {
  return tokens.flatMap((token): Run[] => {
    const inner = (token as { tokens?: Token[] }).tokens
    if (token.type === 'br') return [{ ...style, text: '\n' }]
    if (token.type === 'strong') return runsOf(inner ?? [], { ...style, bold: true })
    if (token.type === 'em') return runsOf(inner ?? [], { ...style, italic: true })
    if (token.type === 'codespan') return [{ ...style, code: true, text: (token as Tokens.Codespan).text }]
    if (token.type === 'link') {
      const { href } = token as Tokens.Link
      return runsOf(inner ?? [], { ...style, ...(/^(https?|mailto):/i.test(href) && { link: href }) })
    }
    if (inner && token.type !== 'image') return runsOf(inner, style)
    const { text, raw } = token as { text?: string; raw: string }
    return [{ ...style, text: (text ?? raw).replace(/\n/g, ' ') }]
  })
}

const faceOf = ({ bold }: Run): Font => (bold ? 'bold' : 'text')

function write(doc: PDFDocument, runs: readonly Run[], fontSize: number, depth: number): void {
  const left = margin + depth * 14
  const width = doc.page.width - left - margin
  const shown = runs.map((run) => ({ ...run, text: textOf(run) })).filter(({ text }) => text !== '')
  if (shown.length === 0) return
  doc.x = left
  for (const [at, run] of shown.entries()) {
    doc.font(fontFile(faceOf(run)), fontSize).text(run.text, {
      width,
      lineGap: 2,
      continued: at < shown.length - 1,
      oblique: run.italic === true,
      underline: run.link !== undefined,
      link: run.link ?? null,
    })
  }
  doc.x = margin
}

const textOf = ({ text, code }: Run) =>
  code ? text.split('\n').map(sanitizeGlyphs).join('\n') : text === '\n' ? text : sanitizeGlyphs(text)

/** The first column is as wide as two of the others. */
function table(doc: PDFDocument, { header, rows, align }: Tokens.Table): void {
  const unit = (doc.page.width - 2 * margin) / (header.length + 1)
  const widths = header.map((_, at) => (at === 0 ? unit * 2 : unit))
  for (const [at, row] of [header, ...rows].entries()) {
    const texts = row.map(({ tokens }) => runsOf(tokens).map(textOf).join(''))
    doc.font(fontFile(at === 0 ? 'bold' : 'text'), body - 1)
    const height =
      Math.max(...texts.map((text, i) => doc.heightOfString(text, { width: (widths[i] ?? unit) - 8 }))) + 8
    if (doc.y + height > doc.page.height - margin) doc.addPage()
    const { y } = doc
    let x = margin
    for (const [i, text] of texts.entries()) {
      const width = widths[i] ?? unit
      doc.text(text, x + 4, y + 4, { width: width - 8, align: align[i] ?? 'left' })
      x += width
    }
    line(doc, y + height)
    doc.x = margin
    doc.y = y + height
  }
  doc.moveDown(0.8)
}

function line(doc: PDFDocument, y: number): void {
  doc
    .strokeColor(rule)
    .lineWidth(0.5)
    .moveTo(margin, y)
    .lineTo(doc.page.width - margin, y)
    .stroke()
}

/** Marks that say how the sign before them is drawn; without it they would be a box of their own. */
const drawing = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** All that directs or hides, but the two that join and part letters in the scripts that need it. */
const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** A text as it is set in one line: in composed letters, without what directs and is not seen itself. */
function sanitizeGlyphs(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(?!\u00a0)\s/gu, ' ')
    .replace(drawing, '')
    .replace(unseen, '')
}
