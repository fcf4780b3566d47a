import { styleText } from 'node:util'
import { clean } from './clean.ts'
import { unlimited } from './unlimited.ts'
import { fit, shorten, widthOf } from './width.ts'

/** The meaning of a span of text; determines its colour or, without colours, its weight. */
export type Tone =
  | 'plain'
  | 'dim'
  | 'strong'
  | 'accent'
  | 'good'
  | 'warn'
  | 'bad'
  | 'chosen'
  | 'added'
  | 'removed'

/** A span of text in one tone, harmless for a terminal: created by `span` only. */
export interface TextSpan {
  readonly text: string
  readonly tone: Tone
  /** What a screen reader reads instead of the whole line; empty: it skips the line. */
  readonly said?: string
}

/** A line of the screen or of a command's output. */
export type StyledLine = readonly TextSpan[]

/** Creates a span: the only way by which text gets onto the screen. */
export function span(text: string, tone: Tone = 'plain'): TextSpan {
  return { text: clean(text), tone }
}

/** A line from texts and spans. */
export function row(...parts: ReadonlyArray<string | TextSpan>): StyledLine {
  return parts.map((part) => (typeof part === 'string' ? span(part) : part))
}

export const emptyRow: StyledLine = []

export function rowWidth(line: StyledLine): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

/** The line, cut to at most `width` columns. */
export function cutRow(line: StyledLine, width: number): StyledLine {
  if (rowWidth(line) <= width) return line
  const kept: TextSpan[] = []
  let room = width
  for (const part of line) {
    const columns = widthOf(part.text)
    if (columns < room) {
      kept.push(part)
      room -= columns
      continue
    }
    kept.push({ ...part, text: columns === room ? shorten(`${part.text} `, room) : shorten(part.text, room) })
    break
  }
  return kept
}

/** A line with one text at the left and one at the right end. */
export function spread(left: StyledLine, right: StyledLine, width: number): StyledLine {
  const cut = cutRow(left, Math.max(0, width - rowWidth(right) - 1))
  const gap = Math.max(1, width - rowWidth(cut) - rowWidth(right))
  return [...cut, span(' '.repeat(gap)), ...right]
}

/** A column of a table. */
export interface Column<T> {
  title: string
  cell(item: T): string
  tone?(item: T): Tone
  align?: 'left' | 'right'
  /** Width to which it may shrink when there is no room; absent: it keeps its width. */
  least?: number
  /** Width that it gets before columns of a lower rank are shown; absent: its `least`. */
  enough?: number
  /**
   * Columns are omitted when there is no room, the highest rank first; columns without a rank are always
   * shown.
   */
  rank?: number
}

const gap = 2

/** Cells contain no tabs: `clean` removes them. */
const tab: TextSpan = { text: '\t', tone: 'plain' }

/** The columns for which there is room: the highest rank is omitted first, then from the right end. */
export function columnsFitting<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  width: number,
): ReadonlyArray<Column<T>> {
  const natural = naturalWidths(columns, items)
  let kept = columns.map((column, index) => ({ column, natural: natural[index] ?? 0 }))
  const isTooWide = (least: (column: Column<T>) => number | undefined) => {
    const taken = kept.reduce(
      (sum, each) => sum + Math.min(each.natural, least(each.column) ?? each.natural),
      0,
    )
    return kept.length > 1 && taken + gap * (kept.length - 1) > width
  }
  while (isTooWide(({ enough, least }) => enough ?? least)) {
    const highest = Math.max(...kept.map(({ column: { rank = 0 } }) => rank))
    if (highest === 0) break
    kept = kept.toSpliced(
      kept.findLastIndex(({ column: { rank = 0 } }) => rank === highest),
      1,
    )
  }
  while (isTooWide(({ least }) => least)) kept = kept.slice(0, -1)
  return kept.map(({ column }) => column)
}

function naturalWidths<T>(columns: ReadonlyArray<Column<T>>, items: readonly T[]): number[] {
  return columns.map(({ title, cell }) =>
    items.reduce((most, item) => Math.max(most, widthOf(clean(cell(item)))), widthOf(title)),
  )
}

/**
 * Widths of the columns so that the table fits into `width`: the widest that may shrink does so first, down
 * to its minimum; after that those of the highest rank.
 */
export function columnWidths<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  width: number,
): number[] {
  const widths = naturalWidths(columns, items)
  let over = widths.reduce((sum, each) => sum + each, 0) + gap * (columns.length - 1) - width
  const shrink = (floorOf: (column: Column<T>) => number | undefined) => {
    for (; over > 0; over -= 1) {
      let widest = -1
      columns.forEach((column, index) => {
        const now = widths[index] ?? 0
        const floor = floorOf(column)
        if (floor !== undefined && now > floor && now > (widths[widest] ?? 0)) widest = index
      })
      if (widest < 0) return
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  }
  shrink(({ enough, least }) => (least === undefined ? undefined : (enough ?? least)))
  const ranks = [...new Set(columns.map(({ rank = 0 }) => rank))].toSorted((a, b) => b - a)
  for (const each of ranks) shrink(({ rank = 0, least }) => (rank === each ? least : undefined))
  return widths
}

/** One row of a table. */
export function tableRow<T>(
  columns: ReadonlyArray<Column<T>>,
  widths: readonly number[],
  item: T,
): StyledLine {
  return columns.flatMap(({ cell, tone, align }, index) => {
    const text = fit(clean(cell(item)), widths[index] ?? 0, align)
    const part = { text, tone: tone?.(item) ?? 'plain' }
    return index === 0 ? [part] : [span(' '.repeat(gap)), part]
  })
}

/** The header of a table. */
export function tableTitles<T>(columns: ReadonlyArray<Column<T>>, widths: readonly number[]): StyledLine {
  const titles = columns.map(({ title, align }, index) => fit(title, widths[index] ?? 0, align))
  return [span(titles.join(' '.repeat(gap)), 'dim')]
}

/** A whole table with its header. @param width columns of the terminal, or `unlimited` */
export function tableOf<T>(
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  width: number,
): StyledLine[] {
  if (width === unlimited)
    return [
      tabbed(columns.map(({ title }) => span(title, 'dim'))),
      ...items.map((item) => tabbed(columns.map(({ cell, tone }) => span(cell(item), tone?.(item))))),
    ]
  const widths = columnWidths(columns, items, width)
  return [tableTitles(columns, widths), ...items.map((item) => tableRow(columns, widths, item))]
}

const tabbed = (cells: StyledLine): StyledLine =>
  cells.flatMap((cell, index) => (index === 0 ? [cell] : [tab, cell]))

const styles: Record<Tone, Parameters<typeof styleText>[0] | undefined> = {
  plain: undefined,
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  chosen: 'inverse',
  added: ['green', 'underline'],
  removed: ['red', 'strikethrough'],
}

/** Lines as text for a file, a pipe or one-time output on a terminal. */
export function printed(lines: readonly StyledLine[], colour: boolean): string {
  const paint = ({ text, tone }: TextSpan) => {
    const style = styles[tone]
    return colour && style !== undefined ? styleText(style, text, { validateStream: false }) : text
  }
  return lines.map((line) => withoutSpacesAtEnd(line.map(paint).join(''))).join('\n')
}

/** Tabs are kept: each begins a cell, even an empty one. */
function withoutSpacesAtEnd(text: string): string {
  let end = text.length
  while (text.charAt(end - 1) === ' ') end -= 1
  return text.slice(0, end)
}
