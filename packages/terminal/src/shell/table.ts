import { type Column, printed, tableOf } from '../render/row.ts'
import { outputWidth } from './output.ts'

/** Minimum width of a column that is cut. */
const shortest = 8

/**
 * A table with columns as wide as their widest cell, below a header; not cut and separated by tabs when the
 * output is not a terminal.
 * @param cut indexes of columns that are shortened until the table fits the terminal; ids are not among them
 */
export function table(
  titles: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  cut: readonly number[] = [],
): string {
  const columns = titles.map(
    (title, index): Column<readonly string[]> => ({
      title,
      cell: (row) => row[index] ?? '',
      ...(cut.includes(index) && { least: shortest }),
    }),
  )
  return printed(tableOf(columns, rows, outputWidth()), false)
}
