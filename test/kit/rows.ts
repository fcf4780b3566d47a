import { createHash } from 'node:crypto'
import { calendarJobs } from '../../packages/core/src/composition/jobs.ts'
import type { Database, Sql } from '../../packages/core/src/platform/database/database.ts'
import { lastNumber } from '../../packages/core/src/platform/events/queries.ts'
import { settled } from './events.ts'
import { countWrites, type TableWrites } from './table-writes.ts'

/**
 * The last use of a key is written for many requests at once, some time after them: it is not a change by
 * another request.
 */
const stamp = 'last_used_at'

const kinds = calendarJobs.map(({ kind }) => `'${kind}'`).join(', ')

/** The rows of a table that requests can change, as `x`, for a `from`: jobs of the calendar are asked for by time. */
export const rowsOf = (table: string) =>
  table === 'job' ? `(select * from job where kind not in (${kinds})) x` : `"${table}" x`

const latest = new WeakMap<Database, { revision: string; fingerprint: string }>()

/**
 * All rows of a database, a line for each table; two are equal when no row differs. Returns the previous
 * fingerprint when nothing was committed since: most requests change nothing.
 */
export async function fingerprint(db: Database): Promise<string> {
  await settled(db)
  const kept = counted.get(db)
  if (kept) return (await readChanged(db, kept)).map(({ hashed }) => hashed).join('\n')
  const revision = await revisionOf(db)
  const known = latest.get(db)
  if (known?.revision === revision) return known.fingerprint
  const found = await lines(db, (rows) => `md5(${rows})`)
  latest.set(db, { revision, fingerprint: found })
  return found
}

/** Differs after every committed change of a row: SQLite counts commits of others; PostgreSQL marks each row with its transaction. */
async function revisionOf(db: Database): Promise<string> {
  if (db.dialect === 'sqlite') {
    const row = await db.sql.get<{ data_version: number }>('select data_version from pragma_data_version')
    return String(row?.data_version)
  }
  const parts = (await tablesOf(db)).map(
    (table) => `select count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) as rows from "${table}"`,
  )
  const found = await db.sql.all<{ rows: string }>(parts.join(' union all '))
  return found.map(({ rows }) => rows).join(' ')
}

/** The same as it can be read, to look for what must not stand there. */
export async function everything(db: Database): Promise<string> {
  const kept = counted.get(db)
  if (kept) return (await readChanged(db, kept)).map(({ text }) => text).join('\n')
  return lines(db, (rows) => rows)
}

/** The rows of a table, in the form of `everything` and in that of `fingerprint`, after so many writes. */
interface KeptTable {
  name: string
  text: string
  hashed: string
  /** Undefined where it has to be read again. */
  count?: string | undefined
}

/** Databases that count the writes to each table: only what was written to is read again. */
const counted = new WeakMap<Database, { tables: KeptTable[]; writes: () => Promise<TableWrites> }>()

async function readChanged(
  db: Database,
  { tables, writes }: { tables: readonly KeptTable[]; writes: () => Promise<TableWrites> },
): Promise<readonly KeptTable[]> {
  const { counts, isUnderWay } = await writes()
  const changed = tables.filter(({ name, count }) => count === undefined || count !== counts.get(name))
  if (changed.length === 0) return tables
  const texts = await postgresLines(
    db,
    changed.map(({ name }) => name),
    (rows) => rows,
  )
  const byTable = new Map(texts.map((text) => [text.slice(0, text.indexOf(' ')), text]))
  for (const table of changed) {
    table.text = byTable.get(table.name) ?? ''
    table.hashed = `${table.name} ${createHash('md5').update(table.text).digest('hex')}`
    table.count = isUnderWay ? undefined : counts.get(table.name)
  }
  return tables
}

/** Tables that no request changes: the slots of the calendar, and up to which number events were deleted. */
export const unasked: ReadonlySet<string> = new Set(['calendar_slots', 'event_mark'])

async function lines(db: Database, shown: (rows: string) => string): Promise<string> {
  const tables = (await tablesOf(db)).filter((table) => !unasked.has(table))
  if (db.dialect === 'sqlite') {
    const all = await Promise.all(
      tables.map((table) => db.sql.all(`select * from ${rowsOf(table)} order by 1`)),
    )
    const unstamped = (name: string, value: unknown) => (name === stamp ? undefined : value)
    return tables.map((table, i) => `${table} ${JSON.stringify(all[i], unstamped)}`).join('\n')
  }
  return (await postgresLines(db, tables, shown)).join('\n')
}

async function postgresLines(
  db: Database,
  tables: readonly string[],
  shown: (rows: string) => string,
): Promise<string[]> {
  const parts = tables.map((table) => {
    const row = table === 'api_keys' ? `(to_jsonb(x) - '${stamp}')::text` : 'x::text'
    const rows = `coalesce(string_agg(${row}, '|' order by ${row}), '')`
    return `select '${table}' || ' ' || count(*) || ' ' || ${shown(rows)} as line from ${rowsOf(table)}`
  })
  const found = await db.sql.all<{ line: string }>(parts.join(' union all '))
  return found.map(({ line }) => line)
}

/** The tables whose rows differ between two fingerprints; a failure that says their names is read at once. */
export function changedTables(before: string, after: string): string[] {
  const then = new Set(before.split('\n'))
  return after
    .split('\n')
    .filter((line) => !then.has(line))
    .map((line) => line.slice(0, line.indexOf(' ')))
}

const copies = 'kept_'

/** Keeps a copy of every table beside it. @returns a function that puts back all rows that differ by then */
export async function keepRows(db: Database): Promise<() => Promise<void>> {
  const tables = await tablesOf(db)
  await db.write(async (tx) => {
    for (const table of tables) await tx.run(`create table "${copies}${table}" as select * from "${table}"`)
  })
  if (db.dialect === 'postgresql') {
    const asked = tables.filter((table) => !unasked.has(table))
    const writes = await countWrites(db, asked)
    counted.set(db, { tables: asked.map((name) => ({ name, text: '', hashed: '' })), writes })
  }
  const before = await fingerprint(db)
  return async () => {
    const changed = changedTables(before, await fingerprint(db))
    const last = await lastNumber(db.sql)
    await db.write(async (tx) => {
      for (const table of changed) {
        await tx.run(`delete from "${table}"`)
        await (table === 'leads' && db.dialect === 'sqlite' ? putBackLeads(tx) : putBack(tx, table))
      }
      // Those who follow events have seen higher numbers than the last that is left, and wait for what comes after.
      await tx.run('delete from event_mark')
      await tx.run('insert into event_mark (id, pruned) values (1, ?)', [last])
    })
  }
}

const putBack = (tx: Sql, table: string) => tx.run(`insert into "${table}" select * from "${copies}${table}"`)

/** The index of words takes in by itself what no import has brought, so each lead is put back as such first. */
async function putBackLeads(tx: Sql): Promise<void> {
  const columns = await tx.all<{ name: string }>(`select name from pragma_table_info('leads')`)
  const values = columns.map(({ name }) => (name === 'import_id' ? 'null' : `"${name}"`))
  await tx.run(`insert into leads select ${values.join(', ')} from ${copies}leads`)
  await tx.run(
    `update leads set import_id = (select k.import_id from ${copies}leads k where k.id = leads.id)`,
  )
}

/** A full-text index follows its table by triggers: it says nothing more, and cannot be written by others. */
const isWordIndex = (name: string) => /_words(_[a-z]+)?$/.test(name)

async function tablesOf(db: Database): Promise<string[]> {
  const text =
    db.dialect === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`
      : `select tablename as name from pg_tables where schemaname = current_schema() order by 1`
  const rows = await db.sql.all<{ name: string }>(text)
  return rows.map(({ name }) => name).filter((name) => !name.startsWith(copies) && !isWordIndex(name))
}
