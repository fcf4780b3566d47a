/** Columns that a test reads by a statement of its own, as both databases give them, in one form. */

/** A timestamp that may be null: milliseconds on SQLite, `Date` or text on PostgreSQL. */
export function asDate(value: unknown): Date | null {
  if (value === null || value === undefined) return null
  return value instanceof Date ? value : new Date(value as number | string)
}

export function asInstant(value: unknown): Date {
  const date = asDate(value)
  if (!date) throw new TypeError('expected a timestamp, got null')
  return date
}

/** A count, a sum or a bigint; PostgreSQL gives these as text. */
export function asNumber(value: unknown): number {
  return Number(value ?? 0)
}

/** JSON: text on SQLite, already parsed on PostgreSQL. */
export function asJson<T>(value: unknown): T | null {
  if (value === null || value === undefined) return null
  return (typeof value === 'string' ? JSON.parse(value) : value) as T
}
