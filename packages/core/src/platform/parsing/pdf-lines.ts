import type { TextPiece } from './pdf-pieces.ts'

/** Text that runs on along one baseline. */
export interface Segment {
  text: string
  left: number
  right: number
  /** Of its baseline. */
  y: number
  size: number
}

/** The segments of a page by their baselines: from top to bottom, and each from left to right. */
export function rowsOfPieces(pieces: readonly TextPiece[]): Segment[][] {
  const sorted = pieces.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.y - b.y)
  const rows: TextPiece[][] = []
  for (const piece of sorted) {
    const row = rows.at(-1)
    const first = row?.[0]
    // Raised and lowered characters belong to the line.
    if (row && first && piece.y - first.y < Math.max(first.size, piece.size) * 0.35) row.push(piece)
    else rows.push([piece])
  }
  return rows.map(segmentsOf)
}

/** A gap that is as wide as this many times the size of the text parts segments: columns or cells. */
const partingGap = 1
/** A gap between two pieces that is one between words. */
const wordGap = 0.15

function segmentsOf(row: TextPiece[]): Segment[] {
  const groups: TextPiece[][] = []
  let right = Number.NEGATIVE_INFINITY
  for (const piece of row.toSorted((a, b) => a.x - b.x)) {
    if (piece.x - right > piece.size * partingGap) groups.push([])
    groups.at(-1)?.push(piece)
    right = Math.max(right, piece.x + piece.width)
  }
  return groups.map(toSegment)
}

function toSegment(pieces: TextPiece[]): Segment {
  const letters = (rightToLeft: boolean) =>
    pieces.reduce(
      (sum, { text, isRightToLeft }) => sum + (isRightToLeft === rightToLeft ? text.length : 0),
      0,
    )
  const ordered = letters(true) > letters(false) ? pieces.toReversed() : pieces
  const texts: string[] = []
  let last: TextPiece | undefined
  for (const piece of ordered) {
    const gap = last ? Math.max(piece.x - last.x - last.width, last.x - piece.x - piece.width) : 0
    const isWord = gap > piece.size * wordGap && !/\s$/.test(last?.text ?? '') && !/^\s/.test(piece.text)
    texts.push(isWord ? ` ${piece.text}` : piece.text)
    last = piece
  }
  const largest = pieces.reduce((most, piece) => (piece.text.length > most.text.length ? piece : most))
  return {
    text: texts.join('').trim(),
    left: pieces.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY),
    right: pieces.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    y: largest.y,
    size: largest.size,
  }
}

/** Where some text begins and ends, from left to right. */
export const edgesOf = (segments: readonly Segment[]) => ({
  left: segments.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
  right: segments.reduce((most, { right }) => Math.max(most, right), 0),
})

/** The segments of one row as a single one. */
export function joinSegments(row: readonly Segment[]): Segment {
  const [first] = row
  if (!first) throw new RangeError('A row has at least one segment')
  const size = row.reduce((most, segment) => Math.max(most, segment.size), 0)
  return { ...first, ...edgesOf(row), text: row.map(({ text }) => text).join(' '), size }
}

const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f\uff00-\uffef]/u

/** Lines as running text: words that were parted at the end of a line are put together. */
export function joinLines(lines: readonly string[]): string {
  const joined = lines.map((line, at) => {
    const next = lines[at + 1]
    if (next === undefined) return line
    const end = line.slice(-2)
    const start = next.slice(0, 2)
    if (/\p{Ll}[-\u2010]$/u.test(end) && /^\p{Ll}/u.test(start)) return line.slice(0, -1)
    const isOneText = withoutSpaces.test(end.slice(-1)) && withoutSpaces.test(start.charAt(0))
    return isOneText || end.endsWith('\u00ad') ? line : `${line} `
  })
  return joined.join('').replaceAll('\u00ad', '')
}
