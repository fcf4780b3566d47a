import { clean } from './clean.ts'
import { type Column, emptyRow, type Row, row, span, tableOf } from './row.ts'

/** Signs that are drawn and mean nothing to the ear. */
const drawings = /[▁-█▎│─•›●·⋯■⏎↑↓←→]+/gu

/** A line as a screen reader tells it: without drawings, and with commas where there are gaps between columns. */
export function spoken(line: Row): Row {
  const words = line.find(({ said }) => said !== undefined)?.said
  const text = words ?? line.map((part) => part.text).join('')
  const told = text
    .replace(drawings, ' ')
    .trim()
    .replace(/\s{2,}/g, ', ')
  return told === '' ? emptyRow : row(told)
}

/** A line of a table in words: each cell behind the title of its column; drawings and empty cells are left out. */
export function cellsInWords<T>(columns: ReadonlyArray<Column<T>>, item: T): string {
  return columns
    .flatMap(({ title, cell }) => {
      const text = clean(cell(item)).trim()
      if (/^[▁-█]*$/u.test(text)) return []
      return [`${title} ${text === '·' ? 'none' : text}`.trim()]
    })
    .join(', ')
}

/** A table that a screen reader tells line by line in words; `shown` is what there is room for of `columns`. */
export function spokenTable<T>(
  columns: ReadonlyArray<Column<T>>,
  shown: ReadonlyArray<Column<T>>,
  items: readonly T[],
  width: number,
): Row[] {
  const [titles = emptyRow, ...lines] = tableOf(shown, items, width)
  return [
    [{ ...span(''), said: '' }, ...titles],
    ...lines.map((line, index) => {
      const item = items[index]
      return item === undefined ? line : [{ ...span(''), said: cellsInWords(columns, item) }, ...line]
    }),
  ]
}
