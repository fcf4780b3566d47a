import { Client, type ClientBase } from 'pg'
import { DatabaseError, type DatabaseOptions } from './database.ts'
import type { PostgresPools } from './postgres-pools.ts'

/** How often a pooler is tried: those who use it meanwhile may take the connection that is looked for. */
const rounds = 10

/**
 * Looks whether PostgreSQL answers, and whether what stands before it can be used as it is configured: a pooler in transaction
 * mode gives each transaction another connection of the server, on which nothing listens and no statement is kept.
 * @throws DatabaseError that names the setting to change
 */
export async function checkConnections(
  { statements: pool, preparing }: Pick<PostgresPools, 'statements' | 'preparing'>,
  { url, listenUrl }: Pick<DatabaseOptions, 'url' | 'listenUrl'>,
): Promise<void> {
  const { host } = new URL(url)
  const isDirect = await answering(url, async () => {
    const client = await pool.connect()
    return isServer(client).finally(() => client.release())
  })
  const pooler = isDirect ? undefined : await answering(url, () => examine(url))
  if (pooler?.shares && listenUrl === undefined) {
    throw new DatabaseError(
      `${host} is a connection pooler in transaction mode, through which notifications do not arrive. Set database.listenUrl (COPYDESK_DATABASE_LISTEN_URL) to the URL of PostgreSQL itself.`,
    )
  }
  if (pooler?.shares && preparing && !pooler.keepsStatements) {
    throw new DatabaseError(
      `${host} is a connection pooler that does not keep prepared statements. Set database.preparedStatements (COPYDESK_DATABASE_PREPARED_STATEMENTS) to false, or max_prepared_statements of PgBouncer 1.21 or later.`,
    )
  }
  if (listenUrl !== undefined && (await answering(listenUrl, () => examine(listenUrl))).shares) {
    throw new DatabaseError(
      `database.listenUrl leads to ${new URL(listenUrl).host}, a connection pooler in transaction mode. Set it to the URL of PostgreSQL itself.`,
    )
  }
}

async function answering<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new DatabaseError(
      `PostgreSQL at ${new URL(url).host} does not answer (${(error as Error).message}). Check that it runs and that the URL, user and password are right.`,
      { cause: error },
    )
  }
}

/** The process of the server behind a connection at this moment. */
async function processOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/** Whether a connection is one of the server: a pooler greets with the id of another process. */
async function isServer(client: ClientBase): Promise<boolean> {
  return (await processOf(client)) === (client as ClientBase & { processID?: number }).processID
}

/** Whether transactions of one connection may be on different connections of the server, and named statements are there on all. */
async function examine(url: string): Promise<{ shares: boolean; keepsStatements: boolean }> {
  const [one, other] = [new Client({ connectionString: url }), new Client({ connectionString: url })]
  /** Works while the other holds a connection of the server: usually the one that was used last. */
  const elsewhere = async <T>(work: (held: number | undefined) => Promise<T>) => {
    await other.query('begin')
    try {
      return await work(await processOf(other))
    } finally {
      await other.query('rollback')
    }
  }
  const named = () => one.query({ name: 'copydesk_probe', text: 'select $1::int', values: [1] })
  try {
    await one.connect()
    if (await isServer(one)) return { shares: false, keepsStatements: true }
    await other.connect()
    const first = await processOf(one)
    let shares = false
    for (let round = 0; round < rounds && !shares; round += 1)
      shares = await elsewhere(async (held) => held === first || (await processOf(one)) !== first)
    if (!shares) return { shares, keepsStatements: true }
    try {
      for (let round = 0; round < rounds; round += 1) {
        await elsewhere(named)
        await named()
      }
      return { shares, keepsStatements: true }
    } catch {
      return { shares, keepsStatements: false }
    }
  } finally {
    // What was probed ends with its connections.
    await Promise.all([one, other].map((client) => client.end().catch(() => undefined)))
  }
}
