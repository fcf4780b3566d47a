import { rowWidth, type StyledLine, span, type TextSpan, type Tone } from './row.ts'
import { unlimited } from './unlimited.ts'
import { lettersOf, widthOf } from './width.ts'

/** The prefix of the first line of a paragraph, and of each further line. */
export interface Margin {
  first: StyledLine
  rest: StyledLine
}

/** Maximum width of running text: longer lines are hard to read, however wide the screen is. */
const measure = 90

/** The width of running text in a given width; without a limit lines are not wrapped. */
export function measured(width: number): number {
  return width === unlimited ? unlimited : Math.min(width, measure)
}

const noMargin: Margin = { first: [], rest: [] }

/**
 * A paragraph in at most `width` columns, wrapped between words where possible; tones continue over the line
 * break.
 */
export function flow(parts: readonly TextSpan[], width: number, margin: Margin = noMargin): StyledLine[] {
  // Not `wrap-ansi`: its styles are escape sequences, which our spans do not contain, and it normalizes the
  // text.
  const lines: StyledLine[] = []
  let line: TextSpan[] = []
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
export function flowText(text: string, width: number, margin?: Margin, tone: Tone = 'plain'): StyledLine[] {
  return flow([span(text, tone)], width, margin)
}

/** Words with the spaces after them; a word may have several tones. */
function wordsIn(parts: readonly TextSpan[]): TextSpan[][] {
  const words: TextSpan[][] = []
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

function trimmed(line: readonly TextSpan[]): TextSpan[] {
  const last = line.at(-1)
  return last ? [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }] : []
}
