import { setImmediate } from 'node:timers/promises'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import type { Sql, SqlValue } from '../../../../platform/database/database.ts'
import { count, select, table } from '../../../../platform/database/read.ts'
import { Lead, type LeadRow } from '../entities.ts'

/** What the leads of one transaction of an import have in common. */
export interface Common {
  tenantId: string
  label: string
  importId: string
  /** When they are created. */
  now: Date
}

/** What each of them has of its own. */
export type OwnValues = Pick<LeadRow, keyof typeof own>

/** By property, its column and the type that PostgreSQL gives it. */
const own = {
  id: ['id', 'text'],
  firstName: ['first_name', 'text'],
  lastName: ['last_name', 'text'],
  email: ['email', 'text'],
  phone: ['phone', 'text'],
  company: ['company', 'text'],
  status: ['status', 'text'],
  score: ['score', 'int'],
  tags: ['tags', 'jsonb'],
  identity: ['identity', 'text'],
  phoneKey: ['phone_key', 'text'],
  words: ['words', 'text'],
} as const
const properties = Object.keys(own) as Array<keyof typeof own>

const columns = `tenant_id, source_ref, import_id, created_on, updated_on, source, revision, assigned_to_id, ${Object.values(
  own,
)
  .map(([column]) => column)
  .join(', ')}`

/** How many leads one statement adds. On SQLite each number of them is a statement to prepare. */
const perStatement = { sqlite: [100, 10, 1], postgresql: [1_000] }

/** How many leads are sent at a time; others are answered between two. */
const perTurn = { sqlite: 500, postgresql: 1_000 }

/** Adds the leads of a part of an import: what they share is bound once, which the general way does for each of them. */
export async function insertLeads(
  { tx, db: { dialect } }: Transaction,
  { tenantId, label, importId, now }: Common,
  leads: readonly OwnValues[],
): Promise<void> {
  const first = [tenantId, label, importId, now]
  const insert = (some: readonly OwnValues[]) =>
    dialect === 'sqlite'
      ? tx.run(inSqlite(some.length), [...first, ...some.flatMap(bound)])
      : tx.run(inPostgres, [...first, JSON.stringify(some)])
  const before = dialect === 'sqlite' ? await lastNumber(tx) : 0
  const sent: Array<Promise<unknown>> = []
  // The next ones are made while the database adds these.
  for (const turn of inParts(leads, [perTurn[dialect]])) {
    const added = Promise.all(inParts(turn, perStatement[dialect]).map(insert))
    // Told below.
    added.catch(() => undefined)
    sent.push(added)
    await setImmediate()
  }
  await Promise.all(sent)
  if (dialect === 'sqlite') await addWords(tx, before)
}

/** As few parts as there can be of these sizes, the largest first; the last one may be smaller than any. */
function inParts<T>(all: readonly T[], sizes: readonly number[]): T[][] {
  const parts: T[][] = []
  for (let n = 0; n < all.length; ) {
    const left = all.length - n
    const size = sizes.find((one) => one <= left) ?? left
    parts.push(all.slice(n, n + size))
    n += size
  }
  return parts
}

const seqs = select({ last: count('max(l.seq)') })
const lastNumber = async (tx: Sql) => (await seqs.get(tx, `from ${table(Lead, 'l')}`))?.last ?? 0

/**
 * Adds the words of all leads with higher numbers to the index: a trigger, which does it for other leads, takes twice as long. One
 * statement, since at the end of each the index writes a part that has to be merged later.
 */
const addWords = (tx: Sql, before: number) => tx.run(indexing, [before])

const indexing = `insert into lead_words (rowid, words)
  select l.seq, replace(l.words || ' §' || l.status || ' ¶' || replace(l.source, '_', ''), ' ', ' ' || l.tenant_id)
  from leads l where l.seq > ?`

const bound = (lead: OwnValues): SqlValue[] =>
  properties.map((name) => (name === 'tags' ? JSON.stringify(lead.tags) : (lead[name] as SqlValue)))

const shared = (...[tenantId, label, importId, now]: [string, string, string, string]) =>
  `${tenantId}, ${label}, ${importId}, ${now}, ${now}, 'import', 0, null`

const marks = `(${properties.map(() => '?').join(', ')})`
const inSqlite = (count: number) => `insert into leads (${columns})
  select ${shared('c.column1', 'c.column2', 'c.column3', 'c.column4')}, v.*
  from (values (?, ?, ?, ?)) c cross join (values ${Array.from({ length: count }, () => marks).join(', ')}) v`

const fields = Object.entries(own).map(([name, [, type]]) => `"${name}" ${type}`)
const inPostgres = `insert into leads (${columns})
  select ${shared('$1', '$2', '$3', '$4::timestamptz')}, ${properties.map((name) => `v."${name}"`).join(', ')}
  from json_to_recordset($5::json) as v (${fields.join(', ')})`

/**
 * Has PostgreSQL look at how many leads there are: until it does so by itself, a minute later, it would plan for the few that there were.
 * SQLite needs no such thing.
 */
export async function noteGrowth({ db }: Ctx): Promise<void> {
  if (db.dialect === 'postgresql') await db.sql.run('analyze leads, lead_words')
}
