import {
  type Column,
  columnsFitting,
  columnWidths,
  emptyRow,
  row,
  type StyledLine,
  span,
  tableRow,
  tableTitles,
} from '../render/row.ts'
import { cellsInWords } from '../render/spoken.ts'
import type { KeyName } from './keys.ts'

/** Rows with one selected and any number of marked ones; only visible rows are drawn. */
export interface List<T> {
  readonly items: readonly T[]
  /** Position of the selected row. */
  readonly at: number
  /** Position of the first visible row. */
  readonly top: number
  readonly marked: ReadonlySet<string>
}

interface Identified {
  id: string
}

export function listOf<T extends Identified>(items: readonly T[]): List<T> {
  return { items, at: 0, top: 0, marked: new Set() }
}

export function current<T>({ items, at }: List<T>): T | undefined {
  return items[at]
}

/** The list with other items: selection and marks are kept for items that still exist. */
export function replaced<T extends Identified>(list: List<T>, items: readonly T[]): List<T> {
  const looked = list.items[list.at]?.id
  const found = items.findIndex(({ id }) => id === looked)
  const at = found >= 0 ? found : Math.max(0, Math.min(list.at, items.length - 1))
  const known = list.marked.size === 0 ? undefined : new Set(items.map(({ id }) => id))
  const marked = known ? new Set([...list.marked].filter((id) => known.has(id))) : list.marked
  return { items, at, top: list.top, marked }
}

/** The list after a key that moves in it, drawn on `height` lines. @returns undefined for any other key */
export function moved<T extends Identified>(
  list: List<T>,
  key: KeyName,
  height: number,
): List<T> | undefined {
  const page = roomFor(list.items.length, height)
  const last = Math.max(0, list.items.length - 1)
  const to = (wanted: number) => {
    const at = Math.max(0, Math.min(last, wanted))
    return { ...list, at, top: topFor({ ...list, at }, page) }
  }
  switch (key) {
    case 'up':
    case 'k':
      return to(list.at - 1)
    case 'down':
    case 'j':
      return to(list.at + 1)
    case 'pageup':
    case 'ctrl+b':
      return to(list.at - page)
    case 'pagedown':
    case 'ctrl+f':
      return to(list.at + page)
    case 'home':
    case 'g':
      return to(0)
    case 'end':
    case 'G':
      return to(last)
    default:
      return undefined
  }
}

/** Toggles the mark of the selected row, and moves to the next. */
export function toggled<T extends Identified>(list: List<T>): List<T> {
  const item = list.items[list.at]
  if (!item) return list
  const marked = new Set(list.marked)
  if (!marked.delete(item.id)) marked.add(item.id)
  return { ...list, marked, at: Math.min(list.at + 1, list.items.length - 1) }
}

/** Marks all, or none when all are marked. */
export function allToggled<T extends Identified>(list: List<T>): List<T> {
  const all = list.marked.size === list.items.length
  return { ...list, marked: new Set(all ? [] : list.items.map(({ id }) => id)) }
}

/** The marked rows, or the selected one when none is marked. */
export function meant<T extends Identified>(list: List<T>): readonly T[] {
  if (list.marked.size > 0) return list.items.filter(({ id }) => list.marked.has(id))
  const item = list.items[list.at]
  return item ? [item] : []
}

/** The first visible position when `height` rows are visible, so that the selected one is among them. */
export function topFor(
  { at, top, items }: Pick<List<unknown>, 'at' | 'top' | 'items'>,
  height: number,
): number {
  const lowest = Math.max(0, items.length - height)
  return Math.max(0, Math.min(lowest, at < top ? at : at >= top + height ? at - height + 1 : top))
}

/**
 * How many rows fit on `height` lines: below the header and, when not all fit, above the line with the
 * remaining number.
 */
function roomFor(count: number, height: number): number {
  const room = Math.max(1, height - 1)
  return count <= room || room < roomForPlace ? room : room - 1
}

/** Minimum number of visible rows before a line is used for the remaining number. */
const roomForPlace = 4

/** Columns before each line: whether it is selected, and whether it is marked. */
const edge = 3

interface ListSize {
  width: number
  height: number
  /** The text of a list without items. */
  empty: string
  /** The total number, when it is known and more than was loaded. */
  total?: number
  /** Whether there are more than were loaded, and the total is unknown. */
  hasMore?: boolean
}

/**
 * A list as a table with a header, `height` lines in all; the last one shows the position when not all rows
 * are visible. A screen reader reads only the selected row.
 */
export function listRows<T extends Identified>(
  list: List<T>,
  columns: ReadonlyArray<Column<T>>,
  { width, height, empty, total = 0, hasMore = false }: ListSize,
): StyledLine[] {
  if (list.items.length === 0) return [emptyRow, row(span(`   ${empty}`, 'dim'))]
  const room = roomFor(list.items.length, height)
  const top = topFor(list, room)
  const seen = list.items.slice(top, top + room)
  const shown = columnsFitting(columns, seen, width - edge)
  const widths = columnWidths(shown, seen, width - edge)
  const lines = seen.map((item, index) => {
    const looked = top + index === list.at
    const sign = `${looked ? '›' : ' '}${list.marked.has(item.id) ? '●' : ' '} `
    const cells = tableRow(shown, widths, item)
    return looked
      ? [
          { ...span(sign, 'chosen'), said: inWords(list, columns, item) },
          ...cells.map(({ text }) => span(text, 'chosen')),
        ]
      : [{ ...span(sign, 'accent'), said: '' }, ...cells]
  })
  const titles: StyledLine = [{ ...span(' '.repeat(edge)), said: '' }, ...tableTitles(shown, widths)]
  const all = Math.max(total, list.items.length)
  const isCut = seen.length < list.items.length && height > seen.length + 1
  return [titles, ...lines, ...(isCut ? [placeRow(list.at, all, all - top - seen.length, hasMore)] : [])]
}

function placeRow(at: number, total: number, below: number, hasMore: boolean): StyledLine {
  const more = hasMore ? '+' : ''
  const rest = below > 0 ? ` · ${below}${more} more below` : ''
  return [{ ...span(`${' '.repeat(edge)}${at + 1} of ${total}${more}${rest}`, 'dim'), said: '' }]
}

function inWords<T extends Identified>(
  { at, items, marked }: List<T>,
  columns: ReadonlyArray<Column<T>>,
  item: T,
): string {
  const mark = marked.has(item.id) ? ['marked'] : []
  return [`${at + 1} of ${items.length}`, ...mark, cellsInWords(columns, item)].join(', ')
}
