import type { Block } from '../../../platform/parsing/parsed.ts'

/** A block in pieces of at most so many characters, each of them text of the block as it is. */
export function piecesOf({ kind, text, level }: Block, most: number): string[] {
  if (text.trim() === '') return []
  if (kind === 'heading') return cut(`${'#'.repeat(level ?? 1)} ${text}`, most, words)
  if (text.length <= most) return [text]
  if (kind === 'table') return tableRows(text, most)
  return cut(text, most, kind === 'code' ? lines : sentences)
}

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

/** Where a text may be cut, the best places first; each matches what stays before the cut. */
const lines = [/\n/g, /\s+/gu]
const sentences = [/\n+/g, /[.!?…]["'”’)\]]*\s+|[。！？]+/gu, /[,;:]\s+|[、，；]/gu, /\s+/gu]
const words = [/\s+/gu]

function cut(text: string, most: number, places: readonly RegExp[]): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.length - at <= most ? text.length : at + placeOf(text.slice(at, at + most), places)
    const piece = text.slice(at, end).trim()
    if (piece !== '') pieces.push(piece)
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

/** The rows of a table in pieces that each begin with its header. */
function tableRows(text: string, most: number): string[] {
  const rows = text.split('\n')
  const head = /^\s*\|?\s*:?-{1,}/.test(rows[1] ?? '') ? rows.slice(0, 2) : []
  const header = head.join('\n')
  // A header that leaves no room for rows is not repeated.
  const repeated = header.length > 0 && header.length < most / 2 ? `${header}\n` : ''
  const pieces: string[] = []
  let current = ''
  for (const row of rows.slice(repeated === '' ? 0 : head.length)) {
    for (const part of cut(row, most - repeated.length, words)) {
      if (current !== '' && repeated.length + current.length + 1 + part.length > most) {
        pieces.push(repeated + current)
        current = ''
      }
      current = current === '' ? part : `${current}\n${part}`
    }
  }
  if (current !== '') pieces.push(repeated + current)
  return pieces
}
