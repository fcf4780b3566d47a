import { type BlockList, checkLength } from './limits.ts'

/** So many rows, or characters, are one block of a table. */
const rowsPerBlock = 100
const charactersPerBlock = 8_000

/** One row of a table in Markdown. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')).join(' | ')} |`
}

/** The line between the header of a table in Markdown and its rows. */
export const markdownRule = (columns: number) => `|${' --- |'.repeat(columns)}`

/** A table in Markdown; the first row is its header. @returns an empty text where there is no row */
export function markdownTable(rows: ReadonlyArray<readonly string[]>): string {
  const [header, ...others] = rows
  if (!header) return ''
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const padded = [...header, ...Array<string>(columns - header.length).fill('')]
  return [markdownRow(padded), markdownRule(columns), ...others.map(markdownRow)].join('\n')
}

/** Writes a long table as blocks of some rows, each with the header. */
export interface TableWriter {
  /** The first row is the header. Rows without content are left out. */
  row(cells: readonly string[]): void
  /** Writes what is left. */
  end(): void
}

/** @param heading stands before the table, unless the table is empty */
export function createTableWriter(list: BlockList, { heading = '' } = {}): TableWriter {
  let header: readonly string[] | undefined
  let rows: string[][] = []
  let characters = 0
  let isWritten = false

  const flush = () => {
    if (!header) return
    list.add({ kind: 'table', text: markdownTable([header, ...rows]) })
    rows = []
    characters = 0
    isWritten = true
  }

  return {
    row(cells) {
      const used = cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1)
      if (used.length === 0) return
      list.countCells(used.length)
      checkLength(used.reduce((sum, cell) => sum + cell.length, 0))
      if (!header) {
        header = used
        list.add({ kind: 'heading', level: 1, text: heading })
        return
      }
      rows.push(used)
      characters += used.reduce((sum, cell) => sum + cell.length + 3, 0)
      if (rows.length >= rowsPerBlock || characters >= charactersPerBlock) flush()
    },
    end() {
      // A header without rows is a table, too.
      if (rows.length > 0 || !isWritten) flush()
    },
  }
}
