import { isUlid } from '../platform/clock.ts'
import { type Column, exists, type Selection } from '../platform/database/read.ts'
import type { Ctx } from './context.ts'
import { type DomainError, invalid } from './errors.ts'
import { afterId, type Condition, equals, type Page, type PageRequest, where } from './paging-queries.ts'
import { within } from './scope.ts'
import { searched } from './search-queries.ts'

/** What a list consists of, whatever it is filtered by. */
export interface List<Found> {
  /** What is read of each row. */
  select: Selection<Found>
  /** The tables: `from …`, up to and without `where`. */
  from: string
  /** The column of the ids, of which cursors are made. */
  id: Column<string> | string
  /** What holds for a row as long as it exists: whose it is, and what it belongs to. Only the id of such a row is a cursor. */
  rows: Condition
  /** Where rows can be deleted: the action by which the audit log knows it. */
  deletedBy?: `${string}.delete`
}

/** The refusal of a cursor that no page of the list has named. */
export const unknownCursor = (): DomainError => invalid('cursor', 'Unknown cursor')

/**
 * What comes after the cursor, which is the id of the last item of the page before. That item may have left the list since,
 * by its status or because it was deleted: anyone who empties a list while reading it goes on where they were.
 * @throws DomainError `VALIDATION_ERROR` on `cursor` for an id that no row of the list within the scope has or had
 */
export async function afterCursor(
  ctx: Ctx,
  list: List<unknown>,
  { cursor, order }: Omit<PageRequest, 'limit'>,
): Promise<Condition | undefined> {
  if (cursor === undefined) return undefined
  if (!(await findRow(ctx, list, cursor)) && !(await wasDeleted(ctx, list, cursor))) throw unknownCursor()
  return afterId(`${list.id}`, cursor, order)
}

/**
 * The row that a cursor names, for lists in another order than that of their ids.
 * @throws DomainError `VALIDATION_ERROR` on `cursor`
 */
export async function cursorRow<Found>(ctx: Ctx, list: List<Found>, cursor: string): Promise<Found> {
  const row = await findRow(ctx, list, cursor)
  if (!row) throw unknownCursor()
  return row
}

async function findRow<Found>(ctx: Ctx, list: List<Found>, cursor: string): Promise<Found | undefined> {
  if (!isUlid(cursor)) return undefined
  const row = where(list.rows, equals(list.id, cursor))
  return list.select.get(ctx.sql, `${list.from} where ${row.sql}`, row.params)
}

async function wasDeleted(ctx: Ctx, { deletedBy }: List<unknown>, cursor: string): Promise<boolean> {
  if (deletedBy === undefined || !isUlid(cursor)) return false
  const act = where(
    within(ctx.scope, 'tenant_id'),
    equals('resource_id', cursor),
    equals('action', deletedBy),
  )
  return exists(ctx.sql, `from audit_records where ${act.sql}`, act.params)
}

/** Reads one row more than the page holds, to know whether there is another page. */
export async function readPage<Found extends object, T extends { id: string }>(
  ctx: Ctx,
  query: List<Found> & {
    /** What rows come and go by. */
    filters?: ReadonlyArray<Condition | undefined>
    /** Words to be found in some columns of the rows. */
    search?: {
      words: string | undefined
      texts: ReadonlyArray<Column<string | null> | string>
      /** Default: as of the list. */
      from?: string
      typos?: boolean
    }
    /** Default: by the id, in the order that is asked for. */
    orderBy?: string
    request: PageRequest
  },
  map: (row: Found) => T,
): Promise<Page<T>> {
  const { rows, filters = [], search, request } = query
  const id = `${query.id}`
  const { orderBy = `${id} ${request.order}` } = query
  const wanted = where(rows, ...filters, await afterCursor(ctx, query, request))
  const condition =
    search?.words === undefined
      ? wanted
      : await searched(ctx.sql, {
          from: query.from,
          ...search,
          id,
          condition: wanted,
          request,
          search: search.words,
        })
  const rest = `where ${condition.sql} order by ${orderBy} limit ?`
  const found = await query.select.all(ctx.sql, `${query.from} ${rest}`, [
    ...condition.params,
    request.limit + 1,
  ])
  const data = found.slice(0, request.limit).map(map)
  const hasMore = found.length > request.limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}
