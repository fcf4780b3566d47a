import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Pool, QueryConfig, QueryResult } from 'pg'
import type { Sql } from './database.ts'

/** Names of texts, empty for those that were seen once. */
const names = new LRUCache<string, string>({ max: 2_000 })

/**
 * The name under which the server keeps the plan of a text: none the first time, as most texts that are made for a number of
 * rows are not repeated. It is a hash of the text, so that processes which share a connection mean the same by it.
 */
export function statementName(text: string): { name?: string } {
  const known = names.get(text)
  if (known) return { name: known }
  const name =
    known === '' ? `copydesk_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}` : ''
  names.set(text, name)
  return name ? { name } : {}
}

/** As the ORM writes dates: the driver's own are in the zone of this process. */
export const inUtc = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

const numbered = new LRUCache<string, string>({ max: 2_000 })

/** `?` becomes `$n`. */
function numberMarks(text: string): string {
  let found = numbered.get(text)
  if (found === undefined) {
    let index = 0
    numbered.set(text, (found = text.replace(/\?/g, () => `$${++index}`)))
  }
  return found
}

/**
 * Hand-written statements in a transaction, or on any connection of a pool.
 * @param preparing whether the server keeps those that are repeated
 */
export function statements(
  client: Pool | { query(config: QueryConfig): Promise<QueryResult> },
  preparing: boolean,
): Sql {
  const query = (written: string, params: readonly unknown[] = []) => {
    const text = numberMarks(written)
    return client.query({ text, values: params.map(inUtc), ...(preparing && statementName(text)) })
  }
  return {
    all: async (text, params) => (await query(text, params)).rows,
    get: async (text, params) => (await query(text, params)).rows[0],
    run: async (text, params) => (await query(text, params)).rowCount ?? 0,
  }
}
