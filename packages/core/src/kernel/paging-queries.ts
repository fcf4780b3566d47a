import type { Sql, SqlValue } from '../platform/database/database.ts'
import { type Column, count, type Selection, select } from '../platform/database/read.ts'
import type { NumberedQuery } from '../platform/wire.ts'
import type { Ctx } from './context.ts'
import { within } from './scope.ts'

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
export function equals(column: Column<unknown> | string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, params: [value] }
}

/** What comes after an id in the order of a list. */
export function afterId(column: string, id: string, order: PageRequest['order']): Condition {
  return { sql: `${column} ${order === 'asc' ? '>' : '<'} ?`, params: [id] }
}

/** A list in one order, of which a page is to be read. */
export interface Sorted {
  /** `approvals a`, with what the conditions need. */
  from: string
  id: string
  /** The column that names the tenant. */
  tenant: string
  /** What it is sorted by; the last is the id. An index has the tenant, what is filtered for, and then these. */
  order: readonly string[]
  direction: 'asc' | 'desc'
  /** How many rows are read. */
  limit: number
}

/** SQLite joins no more selects than 500. */
const mostParts = 400

/**
 * The condition that a row is in scope and fulfils the others. For several tenants it lets only those rows through that stand
 * on the page: each tenant's first ones are read by its index and merged, where sorting would begin with all there are.
 */
export function inScopeOf(ctx: Ctx, list: Sorted, ...conditions: Array<Condition | undefined>): Condition {
  const { scope, db } = ctx
  const { from, id, tenant, order, direction, limit } = list
  if (scope === 'all' || scope.length < 2 || scope.length > mostParts)
    return where(within(scope, tenant), ...conditions)
  const inner = where(...conditions)
  const keys = order.map((column, i) => `${column} as k${i}`).join(', ')
  const by = (columns: readonly string[]) => columns.map((column) => `${column} ${direction}`).join(', ')
  const part = (of: string) => `select ${id} as id, ${keys} from ${from}
    where ${tenant} = ${of} and ${inner.sql} order by ${by(order)} limit ?`
  const merged =
    db.dialect === 'sqlite'
      ? `(${scope.map(() => `select * from (${part('?')})`).join(' union all ')}) q`
      : `(values ${scope.map(() => '(?)').join(', ')}) mine (tenant_id) cross join lateral (${part('mine.tenant_id')}) q`
  const own = [...inner.params, limit]
  return {
    sql: `${id} in (select q.id from ${merged} order by ${by(order.map((_, i) => `q.k${i}`))} limit ?)`,
    params: [
      ...(db.dialect === 'sqlite' ? scope.flatMap((one) => [one, ...own]) : [...scope, ...own]),
      limit,
    ],
  }
}

/** A page by its place, for apps that scroll to a number. */
export interface OffsetRequest {
  limit: number
  offset: number
}

const counting = select({ total: count('count(*)') })

/**
 * Reads a page by its place, and how many rows there are. What is skipped is skipped in the index alone.
 * @param from the table with its alias, as the condition and the order name it
 */
export async function readOffset<Row extends object, T>(
  sql: Sql,
  query: {
    select: Selection<Row>
    /** What is joined to it, with it. Default: nothing. */
    tables?: string
    from: `${string} ${string}`
    condition: Condition
    orderBy: string
    request: OffsetRequest
  },
  map: (row: Row) => T,
): Promise<{ data: T[]; total: number }> {
  const { from, tables, condition, orderBy, request } = query
  const id = `${from.split(' ')[1]}.id`
  const ids = `select ${id} from ${from} where ${condition.sql} order by ${orderBy} limit ? offset ?`
  const { params } = condition
  const rest = `where ${id} in (${ids}) order by ${orderBy}`
  const page = [...params, request.limit, request.offset]
  const [rows, counted] = await Promise.all([
    query.select.all(sql, `from ${tables ?? from} ${rest}`, page),
    counting.get(sql, `from ${from} where ${condition.sql}`, params),
  ])
  return { data: rows.map(map), total: counted?.total ?? 0 }
}

/** Reads a page by its number, from 1, as `numberedPage` shows it. */
export async function readNumbered<Row extends object, T>(
  sql: Sql,
  query: Omit<Parameters<typeof readOffset<Row, T>>[1], 'request'> & { request: NumberedQuery },
  map: (row: Row) => T,
) {
  const { page, limit } = query.request
  const request = { limit, offset: (page - 1) * limit }
  const { data, total } = await readOffset(sql, { ...query, request }, map)
  const pages = Math.ceil(total / limit)
  return { data, pagination: { hasMore: page < pages, nextCursor: null, total, page, limit, pages } }
}
