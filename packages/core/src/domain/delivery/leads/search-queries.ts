import type { Ctx } from '../../../kernel/context.ts'
import type { Condition } from '../../../kernel/paging-queries.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { like, pick, select, table } from '../../../platform/database/read.ts'
import { Lead } from './entities.ts'
import { wordsOf } from './policy.ts'

const l = table(Lead, 'l')
const found = select(pick(l, 'id'))

/** How many rows are looked at in the order of the list before the index of words is asked. */
const walked = 500

/** How many rows of the index are looked at before all of them are. */
const candidates = 2_000

const nothing: Condition = { sql: '1 = 0', params: [] }

/**
 * The leads of a page in which each word of a search begins some word of the name or the e-mail address. What many leads have is found
 * among the first rows of the list; what few have, by the index of words, which has them in no order. One row more than the page holds.
 * @param wanted what holds for the rows of the page otherwise, on `leads l`
 */
export async function foundBy(
  ctx: Ctx,
  query: {
    tenantId: string
    search: string | undefined
    wanted: Condition
    request: { limit: number; order: 'asc' | 'desc' }
  },
): Promise<Condition | undefined> {
  const { tenantId, search, wanted, request } = query
  if (search === undefined) return undefined
  const words = wordsOf(search)
  if (words.length === 0) return nothing
  const most = request.limit + 1
  const order = `order by l.id ${request.order}`
  const matching = words.map(() => 'n.words like ?').join(' and ')
  const near = await found.all(
    ctx.sql,
    `from (select n.id from (select l.id, l.words from ${l} where ${wanted.sql} ${order} limit ${walked}) n
       where ${matching} order by n.id ${request.order} limit ?) l`,
    [...wanted.params, ...words.map((word) => `% ${word}%`), most],
  )
  if (near.length === most) return oneOf(near)
  const index = ctx.db.dialect === 'sqlite' ? sqliteIndex : postgresIndex
  // What has many rows comes in the order of the index first: few leads are created in another order than their ids.
  const term = words.map((word) => index.term(tenantId + word)).join(index.and)
  const first = await index.numbers.all(
    ctx.sql,
    `from lead_words where ${index.condition} order by ${index.seq} ${request.order} limit ${candidates}`,
    [term],
  )
  const rows = await found.all(ctx.sql, `from ${index.among} and ${wanted.sql} ${order} limit ?`, [
    JSON.stringify(first.map(({ seq }) => seq)),
    ...wanted.params,
    most,
  ])
  if (rows.length === most || first.length < candidates) return oneOf(rows)
  const all = await found.all(ctx.sql, `from ${index.leads(wanted.sql)} ${order} limit ?`, [
    term,
    ...wanted.params,
    most,
  ])
  return oneOf(all)
}

function oneOf(rows: ReadonlyArray<{ id: string }>): Condition {
  const ids = rows.map(({ id }) => id)
  return { sql: `l.id in (${placeholders(ids)})`, params: ids }
}

/** Words are letters and digits, so that nothing in them is an operator. */
const sqliteIndex = {
  seq: 'rowid',
  numbers: select({ seq: like(l.seq, 'rowid') }),
  condition: 'lead_words match ?',
  among: `${l} where l.seq in (select value from json_each(?))`,
  leads: (wanted: string) =>
    `${l} where l.seq in (select rowid from lead_words where lead_words match ?) and ${wanted}`,
  term: (word: string) => `"${word}" *`,
  and: ' AND ',
}
const postgresIndex = {
  // Not the column: the planner would go through all rows in its order rather than ask the index of words.
  seq: 'seq + 0',
  numbers: select({ seq: like(l.seq, 'seq') }),
  condition: 'words @@ ?::tsquery',
  among: `json_array_elements_text(?::json) w (value) join ${l} on l.seq = w.value::int where true`,
  // One look for each that is found: with the statistics of a table that has just grown, all of it would be read.
  leads: (wanted: string) =>
    `(select seq from lead_words where words @@ ?::tsquery) w
     cross join lateral (select l.id from ${l} where l.seq = w.seq and ${wanted} offset 0) l`,
  term: (word: string) => `'${word}':*`,
  and: ' & ',
}
