import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type FoundPostgres, startOwnServer } from '../config/postgres.ts'

/** Runs one statement on the server's maintenance database. */
export async function onServer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The URL of another database of the same server. */
export function withName(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Works on a new, empty database of the server, and drops it. */
export async function inDatabase<T>(server: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `copydesk_bench_${randomBytes(4).toString('hex')}`
  await onServer(server, `create database ${name}`)
  try {
    return await work(withName(server, name))
  } finally {
    await onServer(server, `drop database if exists ${name} with (force)`)
  }
}

/**
 * Starts a server of the benchmark's own, with `fsync`: its settings and its load do not affect other users of a shared one.
 * @param settings as `name=value`
 * @param parent where its directory is made; by default on the disk for temporary files
 * @throws Error when there are no binaries, or it does not come up
 */
export async function startDurableServer(
  settings: readonly string[],
  parent?: string,
): Promise<FoundPostgres> {
  const server = await startOwnServer(parent, [
    'fsync=on',
    'full_page_writes=on',
    'autovacuum=on',
    'track_counts=on',
    'shared_buffers=128MB',
    ...settings,
  ])
  if (server.url === undefined) throw new Error(`PostgreSQL cannot be started: ${server.reason}`)
  return server
}
