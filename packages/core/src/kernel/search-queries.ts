import { setImmediate } from 'node:timers/promises'
import { placeholders, type Sql } from '../platform/database/database.ts'
import { type Column, nullable, select, text } from '../platform/database/read.ts'
import { afterId, type Condition, type PageRequest, where } from './paging-queries.ts'
import { textMatcher } from './text.ts'

const batch = 500

/**
 * The rows of one page that match what someone searches for, as a condition on their ids; one row more than the page
 * holds, so that it is known whether there is another. Texts are compared here and not by the database: the two databases
 * fold letters in different ways, and neither forgives a typing error.
 * @param query `from` is everything after `select id, …`; the caller has put its scope and where the page begins into `condition`
 */
export async function searched(
  sql: Sql,
  query: {
    id: string
    texts: ReadonlyArray<Column<string | null> | string>
    from: string
    condition: Condition
    request: Omit<PageRequest, 'cursor'>
    search: string
    typos?: boolean
  },
): Promise<Condition> {
  const { id, texts, from, condition, request, search, typos = false } = query
  const matches = textMatcher(search, { typos })
  const searching = select<{ id: Column<string>; [text: `text${number}`]: Column<string | null> }>({
    id: text(id),
    ...Object.fromEntries(texts.map((one, index) => [`text${index}`, nullable(text(`${one}`))])),
  })
  const found: string[] = []
  let last: string | undefined
  while (found.length <= request.limit) {
    const rest = where(condition, last === undefined ? undefined : afterId(id, last, request.order))
    const rows = await searching.all(
      sql,
      `${from} where ${rest.sql} order by ${id} ${request.order} limit ${batch}`,
      rest.params,
    )
    for (const { id: matched, ...row } of rows) if (matches(Object.values(row))) found.push(matched)
    if (rows.length < batch) break
    last = rows.at(-1)?.id
    // Others are answered between two batches: with SQLite the whole search would be one turn of the event loop.
    await setImmediate()
  }
  const ids = found.slice(0, request.limit + 1)
  return { sql: `${id} in (${placeholders(ids)})`, params: ids }
}
