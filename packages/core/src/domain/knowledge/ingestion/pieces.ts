import type { Block } from '../../../platform/parsing/parsed.ts'

/** A part of a block that goes into a chunk as a whole. */
export interface BlockPiece {
  text: string
  /** The rows above those of a table, repeated where the piece begins a chunk; empty for all else. */
  header: string
  /** What joins it to the piece of the same block before it; undefined for the first of a block. */
  joint?: string
}

/** A block in pieces of at most so many characters with their headers; joined again, they are the block as it is. */
export function piecesOf({ kind, text, level }: Block, most: number): BlockPiece[] {
  if (text.trim() === '') return []
  if (kind === 'heading') return joined(cut(`${'#'.repeat(level ?? 1)} ${text}`, most, words), '')
  if (text.length <= most) return [{ text, header: '' }]
  if (kind === 'table') return tableRows(text, most)
  return joined(cut(text, most, kind === 'code' ? lines : sentences), '')
}

const joined = (texts: readonly string[], joint: string, header = ''): BlockPiece[] =>
  texts.map((text, n) => ({ text, header, ...(n > 0 && { joint }) }))

/** The end of a text, of at most so many characters, from the beginning of a sentence or at least of a word on. */
export function tailOf(text: string, most: number): string {
  if (most <= 0) return ''
  if (text.length <= most) return text
  const end = text.slice(-most)
  const sentence = /[.!?…。！？]\s+(?=\S)/u.exec(end)
  const start = sentence ?? /\s+(?=\S)/u.exec(end)
  // Without a space in reach there is no word to begin with.
  return start ? end.slice(start.index + start[0].length) : ''
}

/** The last whole lines of a text, of at most so many characters. */
export function lastLinesOf(text: string, most: number): string {
  if (most <= 0) return ''
  if (text.length <= most) return text
  const start = text.indexOf('\n', text.length - most - 1)
  return start < 0 ? '' : text.slice(start + 1)
}

/** The beginning of a text, of at most so many characters; no letter of two halves is cut. */
export function headOf(text: string, most: number): string {
  const isWithin = /[\ud800-\udbff]/.test(text.charAt(most - 1))
  return text.slice(0, isWithin ? most - 1 : most)
}

/** Where a text may be cut, the best places first; each matches what stays before the cut. */
const lines = [/\n/g, /\s+/gu]
const sentences = [/\n+/g, /[.!?…]["'”’)\]]*\s+|[。！？]+/gu, /[,;:]\s+|[、，；]/gu, /\s+/gu]
const words = [/\s+/gu]

/** All of a text, in parts that are not blank. */
function cut(text: string, most: number, places: readonly RegExp[]): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.length - at <= most ? text.length : at + placeOf(text.slice(at, at + most), places)
    const piece = text.slice(at, end)
    if (piece.trim() !== '') pieces.push(piece)
    at = end
  }
  return pieces
}

/** Where to cut a window: at the last good place in its second half, else within a word, never within a letter. */
function placeOf(window: string, places: readonly RegExp[]): number {
  const half = Math.floor(window.length / 2)
  for (const place of places) {
    let last = 0
    for (const { index, 0: found } of window.slice(half).matchAll(place)) last = half + index + found.length
    if (last > half) return last
  }
  return letterBefore(window)
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** The longest letter with all its marks that is kept together. */
const longestLetter = 64

/** The beginning of the last letter of a window, which may be cut itself. */
function letterBefore(window: string): number {
  const from = Math.max(1, window.length - longestLetter)
  const last = Array.from(letters.segment(window.slice(from))).at(-1)?.index ?? 0
  const at = from + last
  if (last > 0) return at
  // One letter of very many marks: between two code points at least.
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length
}

/** The rows of a table, as many in a piece as it has room for below the header. */
function tableRows(text: string, most: number): BlockPiece[] {
  const rows = text.split('\n')
  const head = /^\s*(?:\|\s*)?:?-/.test(rows[1] ?? '') ? rows.slice(0, 2).join('\n') : ''
  // A header that leaves no room for rows is not repeated.
  const header = head.length > 0 && head.length < most / 2 ? `${head}\n` : ''
  const pieces: string[] = []
  let current = ''
  for (const row of rows.slice(header === '' ? 0 : 2)) {
    for (const part of cut(row, most - header.length, words)) {
      if (current !== '' && header.length + current.length + 1 + part.length > most) {
        pieces.push(current)
        current = ''
      }
      current = current === '' ? part : `${current}\n${part}`
    }
  }
  if (current !== '') pieces.push(current)
  return pieces.length === 0 ? [{ text: head, header: '' }] : joined(pieces, '\n', header)
}
