import { mostEntries } from './schemas.ts'

/** Where something is in the order of a calendar. */
interface Place {
  at: Date
  id: string
}

/** What was read of one kind, and the first that was not. */
export interface EntriesPart<T extends Place> {
  entries: T[]
  rest: Place | undefined
}

/** How many rows are read of each kind: one more than are shown says where to go on. */
export const readPerKind = mostEntries + 1

/** @param entriesOf a row may have none, so that fewer are shown than were read */
export function entriesPartOf<R extends Place, T extends Place>(
  rows: readonly R[],
  entriesOf: (rows: readonly R[]) => T[],
): EntriesPart<T> {
  return { entries: entriesOf(rows.slice(0, mostEntries)), rest: rows[mostEntries] }
}

/**
 * The first entries of all kinds, and where the next ones begin. What is at one instant is shown together unless the page begins with it
 * and there is too much of it: then the id says where to go on.
 * @param from the instant at which the page begins
 */
export function firstOf<T extends Place>(parts: ReadonlyArray<EntriesPart<T>>, from: Date) {
  const all = parts.flatMap(({ entries }) => entries).toSorted(inOrder)
  const rests = [all[mostEntries], ...parts.map(({ rest }) => rest)]
  const [next] = rests.filter((place) => place !== undefined).toSorted(inOrder)
  if (!next) return { entries: all, nextFrom: null, nextFromId: null }
  const isWithin = next.at <= from
  const entries = all.filter((entry) => (isWithin ? inOrder(entry, next) < 0 : entry.at < next.at))
  return { entries, nextFrom: next.at, nextFromId: isWithin ? next.id : null }
}

const inOrder = (a: Place, b: Place): number =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
