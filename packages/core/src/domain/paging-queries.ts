import type { Sql, SqlValue } from '../platform/database/database.ts'
import { isUlid } from '../platform/clock.ts'
import { DomainError } from './errors.ts'

export interface PageRequest {
  limit: number
  cursor?: string | undefined
  order: 'asc' | 'desc'
}

export interface Page<T> {
  data: T[]
  pagination: { hasMore: boolean; nextCursor: string | null }
}

/** The part of a `where` that filters, with its values in order. */
export interface Condition {
  sql: string
  params: SqlValue[]
}

/** Joins conditions with `and`; absent filters are left out. */
export function where(...conditions: Array<Condition | undefined>): Condition {
  const present = conditions.filter((condition) => condition !== undefined)
  return {
    sql: present.map((c) => `(${c.sql})`).join(' and ') || '1 = 1',
    params: present.flatMap((c) => c.params),
  }
}

/** `column = value`, or nothing when the filter was not given. */
export function equals(column: string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, params: [value] }
}

/** What comes after the cursor, which is the id of the last item of the page before. */
export function afterCursor(column: string, { cursor, order }: PageRequest): Condition | undefined {
  if (cursor === undefined) return undefined
  if (!isUlid(cursor)) throw new DomainError('VALIDATION_ERROR', 'Unknown cursor', { field: 'cursor' })
  return { sql: `${column} ${order === 'asc' ? '>' : '<'} ?`, params: [cursor] }
}

/**
 * Reads one row more than the page holds, to know whether there is another page.
 * @param select everything up to and without `where`
 */
export async function readPage<Row extends object, T extends { id: string }>(
  sql: Sql,
  query: { select: string; condition: Condition; orderBy: string; request: PageRequest },
  map: (row: Row) => T,
): Promise<Page<T>> {
  const { select, condition, orderBy, request } = query
  const text = `${select} where ${condition.sql} order by ${orderBy} limit ?`
  const rows = await sql.all<Row>(text, [...condition.params, request.limit + 1])
  const data = rows.slice(0, request.limit).map(map)
  const hasMore = rows.length > request.limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}
