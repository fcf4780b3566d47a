import { styleText } from 'node:util'
import { clean } from './clean.ts'
import { fit, shorten, widthOf } from './width.ts'

/** What a piece of text means; colours follow from it, and where there are none, weight does. */
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

/** A piece of a line in one tone, harmless for a terminal: made by `span` only. */
export interface Span {
  readonly text: string
  readonly tone: Tone
  /** What a screen reader is told in place of the whole line; empty: it passes the line over. */
  readonly said?: string
}

/** A line of the screen or of a command's output. */
export type Row = readonly Span[]

/** The one door by which text comes onto the screen. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text: clean(text), tone }
}

/** A line from texts and spans. */
export function row(...parts: ReadonlyArray<string | Span>): Row {
  return parts.map((part) => (typeof part === 'string' ? span(part) : part))
}

export const emptyRow: Row = []

export function rowWidth(line: Row): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

/** The line in at most `width` columns. */
export function cutRow(line: Row, width: number): Row {
  if (rowWidth(line) <= width) return line
  const kept: Span[] = []
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

/** One line with something at its left and something at its right end. */
export function spread(left: Row, right: Row, width: number): Row {
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
  /** Columns of the terminal that it may shrink to when there is no room; absent: it keeps its width. */
  least?: number
  /** Columns of the terminal that it gets before what matters less is shown at all; absent: its `least`. */
  enough?: number
  /** What is left out where there is no room, the highest first, and never what has none. */
  rank?: number
}

const gap = 2

/** How wide a file or a pipe is: nothing is cut or wrapped there, and the cells of a table are parted by tabs. */
export const unlimited = Number.POSITIVE_INFINITY
/** Cells have no tabs of their own: `clean` leaves none. */
const tab: Span = { text: '\t', tone: 'plain' }

/** The columns for which there is room: those of the highest rank are left out first, then those at the right end. */
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
 * Widths of the columns of a table so that it fits into `width`: the widest that may shrink does so first, down to what is
 * enough; after that those of the highest rank.
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

/** One line of a table. */
export function tableRow<T>(columns: ReadonlyArray<Column<T>>, widths: readonly number[], item: T): Row {
  return columns.flatMap(({ cell, tone, align }, index) => {
    const text = fit(clean(cell(item)), widths[index] ?? 0, align)
    const part = { text, tone: tone?.(item) ?? 'plain' }
    return index === 0 ? [part] : [span(' '.repeat(gap)), part]
  })
}

/** The titles over a table. */
export function tableTitles<T>(columns: ReadonlyArray<Column<T>>, widths: readonly number[]): Row {
  const titles = columns.map(({ title, align }, index) => fit(title, widths[index] ?? 0, align))
  return [span(titles.join(' '.repeat(gap)), 'dim')]
}

/** A whole table with its titles. @param width columns of the terminal, or `unlimited` */
export function tableOf<T>(columns: ReadonlyArray<Column<T>>, items: readonly T[], width: number): Row[] {
  if (width === unlimited)
    return [
      tabbed(columns.map(({ title }) => span(title, 'dim'))),
      ...items.map((item) => tabbed(columns.map(({ cell, tone }) => span(cell(item), tone?.(item))))),
    ]
  const widths = columnWidths(columns, items, width)
  return [tableTitles(columns, widths), ...items.map((item) => tableRow(columns, widths, item))]
}

const tabbed = (cells: Row): Row => cells.flatMap((cell, index) => (index === 0 ? [cell] : [tab, cell]))

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

/** Lines as text for a file, a pipe or a terminal that is written to once. */
export function printed(lines: readonly Row[], colour: boolean): string {
  const paint = ({ text, tone }: Span) => {
    const style = styles[tone]
    return colour && style !== undefined ? styleText(style, text, { validateStream: false }) : text
  }
  return lines.map((line) => withoutSpacesAtEnd(line.map(paint).join(''))).join('\n')
}

/** Tabs stay: each is the begin of a cell, be it empty. */
function withoutSpacesAtEnd(text: string): string {
  let end = text.length
  while (text.charAt(end - 1) === ' ') end -= 1
  return text.slice(0, end)
}
