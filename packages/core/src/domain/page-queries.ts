import { isUlid } from '../platform/clock.ts'
import type { Row } from '../platform/database/database.ts'
import type { Ctx } from './context.ts'
import { type DomainError, invalid } from './errors.ts'
import { afterId, type Condition, equals, type Page, type PageRequest, where } from './paging-queries.ts'
import { within } from './scope.ts'
import { searched } from './search-queries.ts'

/** What a list consists of, whatever it is filtered by. */
export interface List {
  /** Everything up to and without `where`. */
  select: string
  /** The column of the ids, of which cursors are made. */
  id: string
  /** What holds for a row as long as it exists: whose it is, and what it belongs to. Only the id of such a row is a cursor. */
  rows: Condition
  /** Where rows can be deleted: the action by which the audit log knows it. */
  deletedBy?: `${string}.delete`
}

/** The refusal of a cursor that no page of the list has named. */
export const unknownCursor = (): DomainError => invalid('cursor', 'Unknown cursor')

/**
 * What comes after the cursor, which is the id of the last item of the page before. That item may have left the list since,
 * by its status or because it was deleted: whoever empties a list while reading it goes on where they were.
 * @throws DomainError `VALIDATION_ERROR` on `cursor` for an id that no row of the list within the scope has or had
 */
export async function afterCursor(
  ctx: Ctx,
  list: List,
  { cursor, order }: Omit<PageRequest, 'limit'>,
): Promise<Condition | undefined> {
  if (cursor === undefined) return undefined
  if (!(await findRow(ctx, list, cursor)) && !(await wasDeleted(ctx, list, cursor))) throw unknownCursor()
  return afterId(list.id, cursor, order)
}

/**
 * The row that a cursor names, for lists in another order than that of their ids.
 * @throws DomainError `VALIDATION_ERROR` on `cursor`
 */
export async function cursorRow(ctx: Ctx, list: Omit<List, 'deletedBy'>, cursor: string): Promise<Row> {
  const row = await findRow(ctx, list, cursor)
  if (!row) throw unknownCursor()
  return row
}

async function findRow(ctx: Ctx, { select, id, rows }: List, cursor: string): Promise<Row | undefined> {
  if (!isUlid(cursor)) return undefined
  const row = where(rows, equals(id, cursor))
  return ctx.sql.get<Row>(`${select} where ${row.sql}`, row.params)
}

async function wasDeleted(ctx: Ctx, { deletedBy }: List, cursor: string): Promise<boolean> {
  if (deletedBy === undefined || !isUlid(cursor)) return false
  const act = where(
    within(ctx.scope, 'tenant_id'),
    equals('resource_id', cursor),
    equals('action', deletedBy),
  )
  const sql = `select 1 as one from audit_records where ${act.sql} limit 1`
  return (await ctx.sql.get(sql, act.params)) !== undefined
}

/** Reads one row more than the page holds, to know whether there is another page. */
export async function readPage<Found extends object, T extends { id: string }>(
  ctx: Ctx,
  query: List & {
    /** What rows come and go by. */
    filters?: ReadonlyArray<Condition | undefined>
    /** Words to be found in some columns of the rows; `from` as of `searched`. */
    search?: { words: string | undefined; texts: readonly string[]; from: string; typos?: boolean }
    /** Default: by the id, in the order that is asked for. */
    orderBy?: string
    request: PageRequest
  },
  map: (row: Found) => T,
): Promise<Page<T>> {
  const { select, id, rows, filters = [], search, request } = query
  const { orderBy = `${id} ${request.order}` } = query
  const wanted = where(rows, ...filters, await afterCursor(ctx, query, request))
  const condition =
    search?.words === undefined
      ? wanted
      : await searched(ctx.sql, { ...search, id, condition: wanted, request, search: search.words })
  const text = `${select} where ${condition.sql} order by ${orderBy} limit ?`
  const found = await ctx.sql.all<Found>(text, [...condition.params, request.limit + 1])
  const data = found.slice(0, request.limit).map(map)
  const hasMore = found.length > request.limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}
