import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { poolsOf } from '../../packages/core/src/platform/database/postgres-pools.ts'

/** Where the database of a test is. */
export interface TestPlace {
  url: string
  /** Removes it, or empties it for the next test where that can be done without a trace. */
  release(): Promise<void>
}

export interface Wanted {
  /** The URL of the server's maintenance database. */
  server: string
  /** The same for the same schema in every worker of the run. */
  template: string
  /** Makes the schema in the empty database at `url`. */
  build(url: string): Promise<void>
  /** Opens it as tests do; kept open as long as the database is kept. */
  open(url: string): Promise<Database>
}

/**
 * A database that has served a test and waits for the next. Its connections stay open: a process of the server that is new to
 * a schema takes longer to learn it than most tests take altogether.
 */
interface Kept {
  url: string
  db: Database
  /** What the catalog says of the schema; a test that has changed it spoils the database. */
  schema: string
  wipe: string
}

const kept = new Map<string, Kept[]>()
const mostBytes = 65_536
/** How long a connection that no test uses stays open, milliseconds. It must be less than for ever: a server allows only so many. */
const idleMs = 60_000

/** A database with the wanted schema and nothing else in it. */
export async function takePostgres(wanted: Wanted): Promise<TestPlace> {
  const key = `${wanted.server} ${wanted.template}`
  const shelf = kept.get(key) ?? []
  kept.set(key, shelf)
  const found = shelf.pop() ?? (await keep(wanted, await createFrom(wanted)))
  return {
    url: found.url,
    async release() {
      if (await isEmptied(found)) return void shelf.push(found)
      await found.db.close()
      await drop(wanted.server, found.url)
    },
  }
}

/** Copies the template, which the first worker that needs it makes. @returns the URL of the copy */
async function createFrom({ server, template, build }: Wanted): Promise<string> {
  const name = `${process.env['COPYDESK_TEST_PREFIX'] ?? `copydesk_test_${process.pid}_`}${randomBytes(6).toString('hex')}`
  await onServer(server, async (client) => {
    // A database cannot be copied while someone is connected to it.
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    const made = await client.query('select from pg_database where datname = $1', [template])
    if (made.rowCount === 0) {
      const draft = `${template}_draft`
      await client.query(`drop database if exists ${draft}`)
      await client.query(`create database ${draft}`)
      await build(urlOf(server, draft))
      await client.query(`alter database ${draft} rename to ${template}`)
    }
    await client.query(`create database ${name} template ${template} ${await copying(client)}`)
    await client.query('select pg_advisory_unlock(hashtext($1))', [template])
  })
  return urlOf(server, name)
}

async function keep({ open }: Wanted, url: string): Promise<Kept> {
  const db = await open(url)
  // Whose connections are first, those are shared.
  await db.unitOfWork('all', async (_em, tx) => void (await tx.get('select 1')))
  const { statements, unitsOfWork } = poolsOf(url)
  for (const { options } of [statements, unitsOfWork]) options.idleTimeoutMillis = idleMs
  return { url, db, schema: await schemaOf(db), wipe: await wiping(db) }
}

/** The statement that brings all tables back to what they are now. */
async function wiping({ sql }: Database): Promise<string> {
  const tables = await sql.all<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  const sequences = await sql.all<{ name: string }>(
    `select sequencename as name from pg_sequences where schemaname = 'public'`,
  )
  const steps = tables.map(({ name }) => {
    const table = `public."${name}"`
    // Deleted rows stay where they are; where there were many, they would slow down all that comes after.
    return `if pg_relation_size('${table}') > ${mostBytes} then truncate ${table} cascade;
      elsif exists (select from ${table}) then delete from ${table}; end if;`
  })
  for (const { name } of tables) {
    const rows = await sql.get<{ rows: unknown }>(`select json_agg(t) as rows from public."${name}" t`)
    if (!rows?.rows) continue
    steps.push(
      `insert into public."${name}" select * from json_populate_recordset(null::public."${name}", $rows$${JSON.stringify(rows.rows)}$rows$);`,
    )
  }
  for (const { name } of sequences) {
    const now = await sql.get<{ last: string; called: boolean }>(
      `select last_value as last, is_called as called from public."${name}"`,
    )
    steps.push(`perform setval('public."${name}"', ${now?.last}, ${now?.called});`)
  }
  return `do $wipe$ begin set local session_replication_role = replica; ${steps.join('\n')} end $wipe$`
}

/** Brings a database back to what it was when it was made. @returns false where that cannot be said for sure */
async function isEmptied({ url, db, schema, wipe }: Kept): Promise<boolean> {
  try {
    if ((await hasStrangers(url, db)) || (await schemaOf(db)) !== schema) return false
    await db.sql.run(wipe)
    return true
  } catch {
    return false
  }
}

/** Whether anybody is connected beside those who share our connections; who is just leaving gets a moment. */
async function hasStrangers(url: string, { sql }: Database): Promise<boolean> {
  const { statements, unitsOfWork } = poolsOf(url)
  for (let look = 0; look < 20; look += 1) {
    const [row] = await sql.all<{ n: string }>(
      'select count(*) as n from pg_stat_activity where datname = current_database()',
    )
    if (Number(row?.n) <= statements.totalCount + unitsOfWork.totalCount) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}

/** Changes with everything that is created, altered or removed, but not with what is only emptied. */
async function schemaOf(db: Database): Promise<string> {
  const catalogs = ['pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_index', 'pg_proc', 'pg_trigger']
  const parts = catalogs.map((name) => `(select count(*) || '.' || max(xmin::text::bigint) from ${name})`)
  const [row] = await db.sql.all<{ schema: string }>(`select concat_ws(' ', ${parts.join(', ')}) as schema`)
  return String(row?.schema)
}

/** Copies files, which costs a third of writing the copy to a log that no one reads; servers before 15 know no other way. */
async function copying(client: Client): Promise<string> {
  const { rows } = await client.query('show server_version_num')
  return Number(rows[0]?.server_version_num) >= 150_000 ? 'strategy file_copy' : ''
}

async function drop(server: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(server, async (client) => void (await client.query(`drop database ${name} with (force)`)))
}

async function onServer(server: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
