import { clean } from './clean.ts'
import { type Column, emptyRow, row, type StyledLine, span, tableOf } from './row.ts'

/** Decorative symbols without a meaning for a screen reader. */
const drawings = /[▁-█▎│─•›●·⋯■⏎↑↓←→]+/gu

/** A line for a screen reader: without decoration, and with commas instead of gaps between columns. */
export function spoken(line: StyledLine): StyledLine {
  const words = line.find(({ said }) => said !== undefined)?.said
  const text = words ?? line.map((part) => part.text).join('')
  const told = text
    .replace(drawings, ' ')
    .trim()
    .replace(/\s{2,}/g, ', ')
  return told === '' ? emptyRow : row(told)
}

/** A table row in words: each cell after the title of its column; decoration and empty cells are omitted. */
export function cellsInWords<T>(columns: ReadonlyArray<Column<T>>, item: T): string {
  return columns
    .flatMap(({ title, cell }) => {
      const text = clean(cell(item)).trim()
      if (/^[▁-█]*$/u.test(text)) return []
      return [`${title} ${text === '·' ? 'none' : text}`.trim()]
    })
    .join(', ')
}

/**
 * A table whose rows a screen reader reads in words; `shown` are those of `columns` for which there is room.
 */
export function spokenTable<T>(
  columns: ReadonlyArray<Column<T>>,
  shown: ReadonlyArray<Column<T>>,
  items: readonly T[],
  width: number,
): StyledLine[] {
  const [titles = emptyRow, ...lines] = tableOf(shown, items, width)
  return [
    [{ ...span(''), said: '' }, ...titles],
    ...lines.map((line, index) => {
      const item = items[index]
      return item === undefined ? line : [{ ...span(''), said: cellsInWords(columns, item) }, ...line]
    }),
  ]
}
