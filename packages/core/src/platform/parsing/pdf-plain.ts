import { joinLines } from './pdf-lines.ts'
import type { TextPiece } from './pdf-pieces.ts'

/** A step between two lines that is larger than this many times the size of the text begins a paragraph. */
const paragraphStep = 1.7

/** The paragraphs of a page in the order of the file. */
export function plainParagraphs(pieces: readonly TextPiece[]): string[] {
  const paragraphs: string[][] = []
  let last: { y: number; size: number } | undefined
  for (const { text, y, size } of linesOfPieces(pieces)) {
    const step = last ? Math.abs(y - last.y) : Number.POSITIVE_INFINITY
    const isNext = last !== undefined && y > last.y && step < Math.max(size, last.size) * paragraphStep
    if (isNext && Math.abs(size - (last?.size ?? 0)) < size / 10) paragraphs.at(-1)?.push(text)
    else paragraphs.push([text])
    last = { y, size }
  }
  return paragraphs.map(joinLines)
}

interface PlainLine {
  text: string
  y: number
  size: number
}

function linesOfPieces(pieces: readonly TextPiece[]): PlainLine[] {
  const lines: PlainLine[] = []
  let open: PlainLine | undefined
  for (const { text, y, size, endsLine } of pieces) {
    if (open) open.text += text
    else if (text.trim() !== '') open = { text, y, size }
    if (!endsLine || !open) continue
    lines.push(open)
    open = undefined
  }
  if (open) lines.push(open)
  return lines.map((line) => ({ ...line, text: line.text.replace(/\s+/g, ' ').trim() }))
}
