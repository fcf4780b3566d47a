import type BetterSqlite from 'better-sqlite3'
import { LRUCache } from 'lru-cache'

type Handle = BetterSqlite.Database

/** How many texts a connection keeps prepared, each some kilobytes outside of the heap. */
const most = 500

const kept = new WeakMap<Handle, LRUCache<string, BetterSqlite.Statement>>()

/** Prepares each text once on a connection, and keeps those that are used. */
export function preparedOn(handle: Handle): (text: string) => BetterSqlite.Statement {
  const statements = kept.get(handle) ?? new LRUCache<string, BetterSqlite.Statement>({ max: most })
  kept.set(handle, statements)
  return (text) => {
    let found = statements.get(text)
    if (!found) statements.set(text, (found = handle.prepare(unpeeked(text))))
    return found
  }
}

/**
 * SQLite looks at a bound limit to plan, and then compiles the statement again each time that one is bound, which takes longer
 * than most statements. It does not look at the value of an expression.
 */
const unpeeked = (text: string) => text.replaceAll(/\blimit \?/gi, 'limit ? + 0')

/** A value as SQLite keeps it: instants are milliseconds, booleans 0 and 1. */
export function bind<T>(value: T): T | number {
  if (value instanceof Date) return value.getTime()
  return typeof value === 'boolean' ? Number(value) : value
}
