import { CsvError, parse } from 'csv-parse/sync'
import { decodeDocument } from './decode.ts'
import { type BlockList, createBlockList } from './limits.ts'
import type { ParsedDocument } from './parsed.ts'
import type { DocumentSource } from './source.ts'
import { createTableWriter } from './tables.ts'

/**
 * Reads values separated by commas, semicolons, tabs or bars as a table whose header is the first row. Rows may differ in length.
 * @throws ParseFault `too_large`
 */
export function parseCsv(source: DocumentSource): ParsedDocument {
  const text = decodeDocument(source)
  const delimiter = delimiterOf(text)
  let { blocks } = createBlockList()
  try {
    blocks = readTable(text, { delimiter })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quote that is never closed takes in all rows after it.
    blocks = readTable(text, { delimiter, quote: false })
  }
  return { kind: 'csv', title: null, language: null, pages: null, blocks }
}

interface CsvFormat {
  delimiter: string
  quote?: false
}

function readTable(text: string, format: CsvFormat): BlockList['blocks'] {
  const list = createBlockList()
  const table = createTableWriter(list)
  forEachRow(text, format, table.row)
  table.end()
  return list.blocks
}

/** In characters. */
const longestRow = 1_000_000

/** Goes through the rows; none is kept. */
function forEachRow(text: string, format: CsvFormat, visit: (row: string[]) => void): void {
  parse(text, {
    ...format,
    max_record_size: longestRow,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (row: string[]) => {
      visit(row)
      return null
    },
  })
}

const delimiters = [',', ';', '\t', '|']

/** The delimiter by which most of the first rows have the same number of columns, the larger that is the better. */
function delimiterOf(text: string): string {
  const lines = text.slice(0, 65_536).split('\n', 50)
  const scores = delimiters.map((delimiter) => {
    const widths: number[] = []
    // Without quotes, as the last line may be cut.
    forEachRow(lines.join('\n'), { delimiter, quote: false }, (row) => void widths.push(row.length))
    const [columns = 1] = widths
    const alike = widths.filter((width) => width === columns).length
    return columns > 1 ? alike * 1_000 + Math.min(columns, 999) : 0
  })
  return delimiters[scores.indexOf(Math.max(...scores))] ?? ','
}
