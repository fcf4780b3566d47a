import type { Block, HeadingLevel } from './parsed.ts'
import { regionsOf } from './pdf-columns.ts'
import { rowsOfPieces } from './pdf-lines.ts'
import { type Paragraph, paragraphsOfLines } from './pdf-paragraphs.ts'
import type { PdfPageText } from './pdf-pieces.ts'
import { plainParagraphs } from './pdf-plain.ts'
import { markdownTable } from './tables.ts'

/** A part of a page, before it is known how large the text of the document is. */
interface LaidOut {
  kind: 'text' | 'item' | 'table'
  text: string
  page: number
  /** Of its text, in points; 0 for tables. */
  size: number
  lines: number
  /** At the edge of a page: what it says without its digits. Running headers and page numbers repeat there. */
  edge: string | undefined
}

/** Lays out the pages of a document, one after the other. */
export interface PdfLayout {
  add(page: number, text: PdfPageText): void
  /** The blocks of all pages: larger text is a heading, and what repeats at the edges of pages is left out. */
  end(): Block[]
}

export function createPdfLayout(): PdfLayout {
  const parts: LaidOut[] = []
  return {
    add(page, { pieces, height }) {
      const upright = pieces.filter(({ isRotated }) => !isRotated)
      const plain = { page, size: 0, lines: 1, edge: undefined }
      for (const region of regionsOf(rowsOfPieces(upright))) {
        if ('cells' in region) parts.push({ ...plain, kind: 'table', text: markdownTable(region.cells) })
        else
          for (const paragraph of paragraphsOfLines(region.lines)) parts.push(toPart(paragraph, page, height))
      }
      for (const text of plainParagraphs(pieces.filter(({ isRotated }) => isRotated)))
        parts.push({ ...plain, kind: 'text', text })
    },
    end: () => toBlocks(withoutRunning(parts)),
  }
}

/** What of the height of a page is its edge. */
const edgeOfPage = 0.08

function toPart({ text, size, lines, y, isItem }: Paragraph, page: number, height: number): LaidOut {
  const side = y < height * edgeOfPage ? 'top' : y > height * (1 - edgeOfPage) ? 'bottom' : undefined
  const edge = side && lines <= 2 ? `${side} ${text.replace(/\d+/g, '#').toLowerCase()}` : undefined
  return { kind: isItem ? 'item' : 'text', text, page, size, lines, edge }
}

function withoutRunning(parts: readonly LaidOut[]): LaidOut[] {
  const seen = new Map<string, Set<number>>()
  for (const { edge, page } of parts) if (edge) seen.set(edge, (seen.get(edge) ?? new Set()).add(page))
  // Left and right pages may have different headers, and chapters, too.
  const isRunning = (edge: string) => (seen.get(edge)?.size ?? 0) >= 3
  return parts.filter(({ edge }) => edge === undefined || !isRunning(edge))
}

function toBlocks(parts: readonly LaidOut[]): Block[] {
  const body = bodySize(parts)
  const isHeading = ({ kind, size, lines, text }: LaidOut) =>
    kind === 'text' && size > body * 1.15 && lines <= 3 && text.length <= 200 && /\p{L}/u.test(text)
  const sizes = [...new Set(parts.filter(isHeading).map(({ size }) => rounded(size)))].sort((a, b) => b - a)
  const blocks: Block[] = []
  let last: LaidOut | undefined
  for (const part of parts) {
    const { kind, text, page, size } = part
    const open = blocks.at(-1)
    if (isHeading(part))
      blocks.push({
        kind: 'heading',
        level: Math.min(6, sizes.indexOf(rounded(size)) + 1) as HeadingLevel,
        text,
        page,
      })
    else if (open && last && kind === 'item' && last.kind === 'item') open.text += `\n${text}`
    else if (open?.kind === 'text' && last && runsOn(last, part)) open.text += ` ${text}`
    else blocks.push({ kind: kind === 'table' ? 'table' : 'text', text, page })
    last = part
  }
  return blocks
}

/** Whether a sentence goes on over the end of a page. */
const runsOn = (last: LaidOut, next: LaidOut) =>
  last.kind === 'text' &&
  next.kind === 'text' &&
  next.page === last.page + 1 &&
  /^\p{Ll}/u.test(next.text) &&
  !/[.!?:]["'”’)]*$/.test(last.text)

/** The size in which most of the text is. */
function bodySize(parts: readonly LaidOut[]): number {
  const letters = new Map<number, number>()
  for (const { size, text } of parts)
    if (size > 0) letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length)
  return [...letters].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])[0]
}

const rounded = (size: number) => Math.round(size * 2) / 2
