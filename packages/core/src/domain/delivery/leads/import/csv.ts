import { isAscii } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { preview } from '../../../../kernel/text.ts'
import type { CsvFormat } from '../entities.ts'
import { columnsOf, tellWho } from './columns.ts'
import { CsvFault } from './csv-fault.ts'

/** A line of the file with values, which may go on over several lines. */
export interface CsvRow {
  /** Where it begins; the first line of the file is 1. */
  line: number
  cells: string[]
  /** Where it ends, in bytes of the text, and the line that follows. */
  end: number
  nextLine: number
}

/** In characters. */
const longestRow = 2_000_000
/** As many as a sheet of Excel has. Of each it is kept, shown and looked at with each row what it fills. */
const mostColumns = 16_384
/** How much of the name of a column is kept, characters. */
const longestName = 200
const newline = 0x0a
const quote = 0x22

interface Reading {
  delimiter: string
  /** The number of the first line of the text. */
  line: number
  isWhole: boolean
}

/** What rows were visited: bytes, and lines. */
interface Visited {
  end: number
  lines: number
}

/**
 * Goes through the rows of a text, from a row's beginning on; empty lines are none.
 * @param text its end may cut a row in two unless it `isWhole`; that row is left out
 * @returns the bytes and the lines of all rows that were visited
 * @throws CsvFault for a quote that is not closed, or a row that is too long
 */
export function forEachRow(text: Buffer, reading: Reading, visit: (row: CsvRow) => void): Visited {
  return isPlain(text) ? forEachLine(text, reading, visit) : forEachRecord(text, reading, visit)
}

/** Whether each line is a row, none of them too long. */
function isPlain(text: Buffer): boolean {
  if (text.includes(quote) || !isAscii(text)) return false
  for (let at = 0; text.length - at > longestRow; ) {
    const last = text.lastIndexOf(newline, at + longestRow)
    if (last < at) return false
    at = last + 1
  }
  return true
}

/** The same for a plain text, without a state for each character. */
function forEachLine(
  text: Buffer,
  { delimiter, line: first, isWhole }: Reading,
  visit: (row: CsvRow) => void,
) {
  const whole = text.toString('latin1')
  let line = first
  let held: CsvRow | undefined
  let visited = { end: 0, lines: 0 }
  const release = () => {
    if (!held) return
    visit(held)
    visited = { end: held.end, lines: held.nextLine - first }
  }
  for (let at = 0; at < whole.length; ) {
    const found = whole.indexOf('\n', at)
    const [end, next, nextLine] =
      found < 0 ? [whole.length, whole.length, line] : [found, found + 1, line + 1]
    if (end > at) {
      release()
      held = { line, cells: whole.slice(at, end).split(delimiter), end: next, nextLine }
    }
    at = next
    line = nextLine
  }
  if (isWhole) release()
  return visited
}

/** The same for any text. */
function forEachRecord(
  text: Buffer,
  { delimiter, line: first, isWhole }: Reading,
  visit: (row: CsvRow) => void,
): Visited {
  let line = first
  let end = 0
  let held: CsvRow | undefined
  let visited = { end: 0, lines: 0 }
  const release = () => {
    if (held) visit(held)
    visited = { end, lines: line - first }
  }
  const read = (cells: string[], bytes: number) => {
    release()
    while (text[end] === newline) {
      end += 1
      line += 1
    }
    const begin = line
    for (let at = text.indexOf(newline, end); at >= 0 && at < bytes; at = text.indexOf(newline, at + 1))
      line += 1
    end = bytes
    held = { line: begin, cells, end, nextLine: line }
  }
  try {
    parse(text, {
      delimiter,
      record_delimiter: '\n',
      max_record_size: longestRow,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      info: true,
      on_record: (found: unknown, context: { bytes: number }) => {
        const { record } = found as { record: string[] }
        read(record, context.bytes)
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // What is cut is not the row that is held.
    release()
    if (isWhole || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw new CsvFault(line, reasonOf(error))
    return visited
  }
  if (isWhole) release()
  return visited
}

function reasonOf({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'A quotation mark opens a value and none closes it'
  if (code === 'CSV_MAX_RECORD_SIZE') return `The line has more than ${longestRow} characters`
  return 'The line cannot be read'
}

const delimiters = [',', ';', '\t', '|']
/** The line in which Excel is told the delimiter. */
const told = /^"?sep=(.)"?\n/i

/** How a text is to be read, and where its rows begin. @throws CsvFault when its header has no column that could tell who someone is */
export function openCsv(text: Buffer): { format: CsvFormat; start: number; line: number } {
  const hint = told.exec(text.toString('utf8', 0, 16))
  const skipped = hint?.[0].length ?? 0
  const line = hint ? 2 : 1
  const tried = (hint?.[1] ? [hint[1]] : delimiters).flatMap((delimiter) => {
    const header = headerOf(text.subarray(skipped), delimiter, line)
    return header ? [{ delimiter, ...header, known: known(header.cells) }] : []
  })
  const [best] = tried.toSorted((a, b) => b.known - a.known || b.cells.length - a.cells.length)
  if (!best) throw new CsvFault(line, 'The file is empty')
  const { delimiter, cells, end } = best
  if (cells.length > mostColumns)
    throw new CsvFault(best.line, `The header has more than ${mostColumns} columns`)
  const columns = columnsOf(cells)
  if (!tellWho(columns))
    throw new CsvFault(
      best.line,
      'The header names no column firstName, lastName, name, email or phone; the first line of the file must be the header',
    )
  const start = skipped + end
  return {
    format: { delimiter, columns, header: cells.map((cell) => preview(cell, longestName)) },
    start,
    line: line + linesIn(text.subarray(skipped, start)),
  }
}

const known = (cells: readonly string[]) => columnsOf(cells).filter((field) => field !== null).length

/** Most headers end before, in bytes. */
const usualHeader = 100_000

function headerOf(text: Buffer, delimiter: string, line: number): CsvRow | undefined {
  let first: CsvRow | undefined
  const found = new Error('found')
  for (const size of [usualHeader, text.length]) {
    try {
      forEachRow(text.subarray(0, size), { delimiter, line, isWhole: size >= text.length }, (row) => {
        first = row
        throw found
      })
    } catch (error) {
      // What comes after the header shows when it is read.
      if (error !== found && !(error instanceof CsvFault)) throw error
    }
    if (first) return first
  }
  return undefined
}

function linesIn(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) lines += 1
  return lines
}
