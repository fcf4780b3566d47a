import type { Segment } from './pdf-lines.ts'

type Row = Segment[]

/** What lies on a page from top to bottom: rows of text, or a table. */
export type PagePart = { rows: Row[] } | { cells: string[][] }

interface Column {
  left: number
  right: number
}

/** Rows further apart than this many times the size of the text are not of one table. */
const tableStep = 3
/** A line without cells beside it belongs to the cell above it within this distance. */
const wrapStep = 1.6

/** Parts the rows of a region into tables and what is between them. */
export function partTables(rows: readonly Row[]): PagePart[] {
  const parts: PagePart[] = []
  const addRows = (more: readonly Row[]) => {
    const last = parts.at(-1)
    if (last && 'rows' in last) last.rows.push(...more)
    else if (more.length > 0) parts.push({ rows: [...more] })
  }
  for (let at = 0; at < rows.length; ) {
    const run = tableRun(rows, at)
    const cells = run.length >= 2 ? cellsOf(run) : undefined
    if (cells) parts.push({ cells })
    else addRows(rows.slice(at, at + Math.max(1, run.length)))
    at += Math.max(1, run.length)
  }
  return parts
}

/** The rows from one on that may be of one table: those with several cells, and wrapped lines of cells between and after them. */
function tableRun(rows: readonly Row[], start: number): Row[] {
  const run: Row[] = []
  for (const row of rows.slice(start, start + 2_000)) {
    const last = run.at(-1)
    const [first] = row
    if (!first) break
    const step = last?.[0] ? (first.y - last[0].y) / first.size : 0
    if (row.length > 1 ? step > tableStep : !last || step > wrapStep) break
    run.push(row)
  }
  return run
}

/** The cells of a table; undefined where the rows are none: running text in columns, or lines that do not align. */
function cellsOf(run: readonly Row[]): string[][] | undefined {
  const columns = columnsOf(run.filter((row) => row.length > 1).flat())
  if (columns.length < 2 || isProse(run, columns)) return undefined
  const table: string[][] = []
  for (const row of run) {
    const places = row.map((segment) =>
      columns.findIndex(({ left, right }) => segment.left >= left - 1 && segment.right <= right + 1),
    )
    if (places.includes(-1)) return undefined
    const above = table.at(-1)
    const isWrapped = row.length === 1 && above !== undefined
    const cells = isWrapped ? above : columns.map(() => '')
    for (const [at, { text }] of row.entries()) {
      const place = places[at] ?? 0
      cells[place] = cells[place] ? `${cells[place]} ${text}` : text
    }
    if (!isWrapped) table.push(cells)
  }
  const filled = table.filter((cells) => cells.filter((cell) => cell !== '').length > 1).length
  return table.length >= 2 && filled >= table.length * 0.7 ? table : undefined
}

/** What segments cover from left to right, where it does not overlap. */
function columnsOf(segments: readonly Segment[]): Column[] {
  const columns: Column[] = []
  for (const { left, right } of segments.toSorted((a, b) => a.left - b.left)) {
    const last = columns.at(-1)
    if (last && left <= last.right) last.right = Math.max(last.right, right)
    else columns.push({ left, right })
  }
  return columns
}

/** Running text fills the width of its column, line after line; cells seldom do. */
function isProse(run: readonly Row[], columns: readonly Column[]): boolean {
  const filled = columns.filter(({ left, right }) => {
    const lines = run.flat().filter((segment) => segment.left >= left - 1 && segment.right <= right + 1)
    const fill =
      lines.reduce((sum, line) => sum + (line.right - line.left), 0) / lines.length / (right - left)
    const letters = lines.reduce((sum, { text }) => sum + text.length, 0) / lines.length
    return lines.length >= 3 && fill > 0.7 && letters > 25
  })
  return filled.length === columns.length || (filled.length > 0 && run.length >= 8)
}
