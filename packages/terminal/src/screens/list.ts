import {
  type Column,
  columnWidths,
  columnsFitting,
  emptyRow,
  type Row,
  row,
  span,
  tableRow,
  tableTitles,
} from '../paper/row.ts'
import { cellsInWords } from '../paper/spoken.ts'
import type { KeyName } from './keys.ts'

/** Rows of which one is looked at and some may be marked; only those that are seen are ever drawn. */
export interface List<T> {
  readonly items: readonly T[]
  /** Place of the one that is looked at. */
  readonly at: number
  /** Place of the first that is seen. */
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

/** The same list with other items: who is looked at and who is marked stays, where it is still there. */
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

/** Marks the one that is looked at, or no more, and goes on to the next. */
export function toggled<T extends Identified>(list: List<T>): List<T> {
  const item = list.items[list.at]
  if (!item) return list
  const marked = new Set(list.marked)
  if (!marked.delete(item.id)) marked.add(item.id)
  return { ...list, marked, at: Math.min(list.at + 1, list.items.length - 1) }
}

/** Marks all, or none when all are. */
export function allToggled<T extends Identified>(list: List<T>): List<T> {
  const all = list.marked.size === list.items.length
  return { ...list, marked: new Set(all ? [] : list.items.map(({ id }) => id)) }
}

/** Those that are marked, else the one that is looked at. */
export function meant<T extends Identified>(list: List<T>): readonly T[] {
  if (list.marked.size > 0) return list.items.filter(({ id }) => list.marked.has(id))
  const item = list.items[list.at]
  return item ? [item] : []
}

/** The first place that is seen when `height` rows are, so that the one that is looked at is among them. */
export function topFor(
  { at, top, items }: Pick<List<unknown>, 'at' | 'top' | 'items'>,
  height: number,
): number {
  const lowest = Math.max(0, items.length - height)
  return Math.max(0, Math.min(lowest, at < top ? at : at >= top + height ? at - height + 1 : top))
}

/** How many items are seen on `height` lines: under the titles and, where not all are, above the line that says how it goes on. */
function roomFor(count: number, height: number): number {
  const room = Math.max(1, height - 1)
  return count <= room || room < roomForPlace ? room : room - 1
}

/** Items that must be seen before a line is spent on how many there are. */
const roomForPlace = 4

/** Columns before each line: whether it is looked at, and whether it is marked. */
const edge = 3

interface ListSize {
  width: number
  height: number
  /** What is said of a list without items. */
  empty: string
  /** How many there are in all, where more are known of than have been fetched. */
  total?: number
  /** Whether there are more than have been fetched, and nobody knows how many. */
  hasMore?: boolean
}

/**
 * A list as a table with titles, `height` lines in all; the last one says where one is when not all are seen. A screen reader
 * is told of the one that is looked at only.
 */
export function listRows<T extends Identified>(
  list: List<T>,
  columns: ReadonlyArray<Column<T>>,
  { width, height, empty, total = 0, hasMore = false }: ListSize,
): Row[] {
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
  const titles: Row = [{ ...span(' '.repeat(edge)), said: '' }, ...tableTitles(shown, widths)]
  const all = Math.max(total, list.items.length)
  const isCut = seen.length < list.items.length && height > seen.length + 1
  return [titles, ...lines, ...(isCut ? [placeRow(list.at, all, all - top - seen.length, hasMore)] : [])]
}

function placeRow(at: number, total: number, below: number, hasMore: boolean): Row {
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
