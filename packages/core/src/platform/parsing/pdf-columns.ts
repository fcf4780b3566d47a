import { edgesOf, joinSegments, type Segment } from './pdf-lines.ts'
import { partTables } from './pdf-tables.ts'

type Row = Segment[]

/** What follows on a page: lines of running text in one column, or a table. */
export type PageRegion = { lines: Segment[] } | { cells: string[][] }

/** Columns in columns beyond this are read line by line. */
const deepest = 4
/** Lines that a column has at least. */
const leastLines = 3

/** The rows of a page in reading order: columns one after the other, and what lies across them before or after. */
export function regionsOf(rows: readonly Row[], depth = 0): PageRegion[] {
  return partTables(rows).flatMap((part): PageRegion[] => {
    if ('cells' in part) return [part]
    const gutter = depth < deepest ? findGutter(part.rows.flat()) : undefined
    if (gutter === undefined) return [{ lines: part.rows.map(joinSegments) }]
    return bandsOf(part.rows, gutter).flatMap(({ left, right }) =>
      right.length === 0
        ? [{ lines: left.map(joinSegments) }]
        : [...regionsOf(left, depth + 1), ...regionsOf(right, depth + 1)],
    )
  })
}

/** The middle of the widest place that the fewest lines lie across, with columns on both sides; undefined where there is none. */
function findGutter(segments: readonly Segment[]): number | undefined {
  const { left: from, right: to } = edgesOf(segments)
  const step = Math.max(2, (to - from) / 200)
  let best: { start: number; end: number; across: number } | undefined
  let zone: typeof best
  for (let x = from + step; x < to; x += step) {
    const across = countAcross(segments, x)
    if (across === undefined) {
      zone = undefined
      continue
    }
    zone = zone?.across === across ? { ...zone, end: x } : { start: x, end: x, across }
    const isWider = best && zone.across === best.across && zone.end - zone.start > best.end - best.start
    if (!best || zone.across < best.across || isWider) best = zone
  }
  return best && (best.start + best.end) / 2
}

/** How many lines lie across a place; undefined where it does not part columns that stand beside each other. */
function countAcross(segments: readonly Segment[], x: number): number | undefined {
  const before = segments.filter(({ right }) => right <= x)
  const after = segments.filter(({ left }) => left >= x)
  const across = segments.length - before.length - after.length
  const least = Math.min(before.length, after.length)
  if (least < leastLines || across > least / 4) return undefined
  const top = Math.max(yOf(before, Math.min), yOf(after, Math.min))
  const bottom = Math.min(yOf(before, Math.max), yOf(after, Math.max))
  const shorter = Math.min(heightOf(before), heightOf(after))
  return bottom - top >= shorter / 2 ? across : undefined
}

const yOf = (segments: readonly Segment[], pick: (a: number, b: number) => number) =>
  segments.reduce((found, { y }) => pick(found, y), segments[0]?.y ?? 0)

const heightOf = (segments: readonly Segment[]) => yOf(segments, Math.max) - yOf(segments, Math.min)

/** Rows that lie across a gutter are bands of their own, without a right side, as are those with nothing beside them. */
function bandsOf(rows: readonly Row[], gutter: number): Array<{ left: Row[]; right: Row[] }> {
  const bands: Array<{ isAcross: boolean; rows: Row[] }> = []
  for (const row of rows) {
    const isAcross = row.some(({ left, right }) => left < gutter && right > gutter)
    const last = bands.at(-1)
    if (last?.isAcross === isAcross) last.rows.push(row)
    else bands.push({ isAcross, rows: [row] })
  }
  return bands.map(({ isAcross, rows: all }) => {
    const side = (isOn: (segment: Segment) => boolean) =>
      all.map((row) => row.filter(isOn)).filter((row) => row.length > 0)
    const left = side((segment) => segment.left < gutter)
    const right = side((segment) => segment.left >= gutter)
    return isAcross || left.length === 0 || right.length === 0 ? { left: all, right: [] } : { left, right }
  })
}
