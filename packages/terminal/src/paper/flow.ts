import { rowWidth, type Row, type Span, span, type Tone, unlimited } from './row.ts'
import { lettersOf, widthOf } from './width.ts'

/** What stands before the first line of a paragraph, and before each line after it. */
export interface Margin {
  first: Row
  rest: Row
}

/** Columns that running text takes at the most: longer lines are hard to read, however wide the screen is. */
const measure = 90

/** How wide running text is on something so wide; where nothing is cut, its lines are as long as they were written. */
export function measured(width: number): number {
  return width === unlimited ? unlimited : Math.min(width, measure)
}

const noMargin: Margin = { first: [], rest: [] }

/** A paragraph in at most `width` columns, broken between words where that can be; tones go on over the break. */
export function flow(parts: readonly Span[], width: number, margin: Margin = noMargin): Row[] {
  const lines: Row[] = []
  let line: Span[] = []
  let used = 0
  const start = () => (lines.length === 0 ? margin.first : margin.rest)
  const room = () => Math.max(1, width - rowWidth(start()))
  const turn = () => {
    lines.push([...start(), ...trimmed(line)])
    line = []
    used = 0
  }
  const put = (text: string, tone: Tone) => {
    const last = line.at(-1)
    if (last?.tone === tone) line[line.length - 1] = { text: last.text + text, tone }
    else line.push({ text, tone })
    used += widthOf(text)
  }
  for (const word of wordsIn(parts)) {
    const columns = word.reduce((sum, { text }) => sum + widthOf(text.trimEnd()), 0)
    if (used > 0 && used + columns > room()) turn()
    for (const { text, tone } of word) {
      if (used + widthOf(text.trimEnd()) <= room()) put(text, tone)
      else
        for (const letter of lettersOf(text)) {
          if (used > 0 && used + widthOf(letter) > room()) turn()
          put(letter, tone)
        }
    }
  }
  if (line.length > 0 || lines.length === 0) turn()
  return lines
}

/** Plain text as a paragraph. */
export function flowText(text: string, width: number, margin?: Margin, tone: Tone = 'plain'): Row[] {
  return flow([span(text, tone)], width, margin)
}

/** Words with the spaces behind them; one of several tones is one word. */
function wordsIn(parts: readonly Span[]): Span[][] {
  const words: Span[][] = []
  let open = false
  for (const { text, tone } of parts) {
    for (const piece of text.split(/(?<= )(?=[^ ])/)) {
      if (piece === '') continue
      if (open) words.at(-1)?.push({ text: piece, tone })
      else words.push([{ text: piece, tone }])
      open = !piece.endsWith(' ')
    }
  }
  return words
}

function trimmed(line: readonly Span[]): Span[] {
  const last = line.at(-1)
  return last ? [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }] : []
}
