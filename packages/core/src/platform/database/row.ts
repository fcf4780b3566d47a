/** Columns as both databases give them, turned into one form. */

/** A timestamp column: milliseconds on SQLite, `Date` or text on PostgreSQL. */
export function asDate(value: unknown): Date | null {
  if (value === null || value === undefined) return null
  return value instanceof Date ? value : new Date(value as number | string)
}

/** A timestamp column that is never null. */
export function asInstant(value: unknown): Date {
  const date = asDate(value)
  if (!date) throw new TypeError('expected a timestamp, got null')
  return date
}

/** A count, sum or bigint column; PostgreSQL gives these as text. */
export function asNumber(value: unknown): number {
  return value === null || value === undefined ? 0 : Number(value)
}

/** A JSON column: text on SQLite, already parsed on PostgreSQL. */
export function asJson<T>(value: unknown): T | null {
  if (value === null || value === undefined) return null
  return (typeof value === 'string' ? JSON.parse(value) : value) as T
}

/** `?, ?, ?` for as many values as there are; `null` when there are none, which matches nothing. */
export function placeholders(values: readonly unknown[]): string {
  return values.length === 0 ? 'null' : values.map(() => '?').join(', ')
}
