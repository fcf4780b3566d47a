import stringWidth from 'string-width'

const ascii = /^[ -~]*$/
let graphemes: Intl.Segmenter | undefined

/** Columns that a text takes on a terminal: wide letters and emoji take two. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text)
}

/** The letters of a text as people count them. */
export function lettersOf(text: string): string[] {
  if (ascii.test(text)) return Array.from(text)
  // Made when it is needed: it takes longer to make than most commands take to do their work.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** The text in at most `width` columns; what was cut off is told by an ellipsis. No letter is cut in two. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  if (ascii.test(text)) return `${text.slice(0, width - 1)}…`
  let kept = ''
  let used = 0
  for (const letter of lettersOf(text)) {
    const columns = widthOf(letter)
    if (used + columns > width - 1) break
    kept += letter
    used += columns
  }
  return `${kept}…`
}

/** The text in exactly `width` columns. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const short = shorten(text, width)
  const gap = ' '.repeat(Math.max(0, width - widthOf(short)))
  return align === 'left' ? short + gap : gap + short
}

/** The lines of a text in at most `width` columns, broken between words where that can be. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  const put = (word: string) => {
    line += word
    used += widthOf(word)
  }
  const turn = () => {
    lines.push(line.trimEnd())
    line = ''
    used = 0
  }
  for (const word of text.split(/(?<= )/)) {
    if (used + widthOf(word.trimEnd()) > width && used > 0) turn()
    if (widthOf(word.trimEnd()) <= width) put(word)
    else
      for (const letter of lettersOf(word)) {
        if (used + widthOf(letter) > width) turn()
        put(letter)
      }
  }
  if (line !== '' || lines.length === 0) lines.push(line.trimEnd())
  return lines
}
