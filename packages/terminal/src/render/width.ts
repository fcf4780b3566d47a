import stringWidth from 'string-width'

const ascii = /^[ -~]*$/
let graphemes: Intl.Segmenter | undefined

/** Columns of a text on a terminal: wide letters and emoji take two. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text)
}

/** The grapheme clusters of a text. */
export function lettersOf(text: string): string[] {
  if (ascii.test(text)) return Array.from(text)
  // Created on first use: creating it takes longer than most commands run.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** The text, cut to at most `width` columns with an ellipsis. Grapheme clusters are not split. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  if (ascii.test(text)) return `${text.slice(0, width - 1)}…`
  // Not `slice-ansi`: it measures with an older `string-width`, and may return more columns than we measure.
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
