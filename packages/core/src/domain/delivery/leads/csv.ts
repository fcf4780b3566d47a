/** Spreadsheets take a cell with one of these in front for a formula; an apostrophe before keeps them from it. */
const formula = /^'*[=+\-@\t\r]/
const special = /[",;|\t\r\n]|^\s|\s$/

/** A value as a cell of a CSV file. An import takes the apostrophe away again. */
function toCell(value: string): string {
  const text = formula.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of a CSV file, with its end. */
export const toCsvLine = (values: readonly string[]): string => `${values.map(toCell).join(',')}\r\n`

/** Spreadsheets take a file without it for one of an older encoding. */
export const byteOrderMark = '\ufeff'
