import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

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
