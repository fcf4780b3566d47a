import type { EntitySchema } from '@mikro-orm/core'
import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql'
import type { Logger } from '../log.ts'
import type { MigrationScript } from './migrate.ts'
import type { NewRow } from './new-rows.ts'

export type EntityManager = SqlEntityManager
export type Dialect = 'sqlite' | 'postgresql'

/** The tenants whose rows may be read and written. */
export type Tenants = readonly string[] | 'all'

/** Whatever can be bound to a `?`. */
export type SqlValue = string | number | boolean | null | Date | Uint8Array

/** Hand-written statements. `?` is the placeholder on both databases; decode columns with `row.ts`. */
export interface Sql {
  all<T = Row>(text: string, params?: readonly SqlValue[]): Promise<T[]>
  get<T = Row>(text: string, params?: readonly SqlValue[]): Promise<T | undefined>
  /** @returns the number of rows changed */
  run(text: string, params?: readonly SqlValue[]): Promise<number>
}

/** A row as the driver gives it: dates are numbers on SQLite, booleans are 0 and 1. */
export type Row = Record<string, unknown>

/** One database, reached by the ORM for units of work and by hand-written statements where it is hot. */
export interface Database {
  readonly dialect: Dialect
  /** The names of the steps of the schema that this version knows. */
  readonly migrations: readonly string[]
  /** The ORM, which is loaded and opened at its first use: a process that starts need not wait for it. */
  orm(): Promise<MikroORM>
  /** Reads of committed data only. */
  readonly sql: Sql
  /** Hand-written statements in one durable transaction. On SQLite writers queue up behind each other. */
  write<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  /** Adds one row in a durable transaction of its own, which on PostgreSQL is one statement. */
  add(row: NewRow): Promise<void>
  /**
   * One transaction of the ORM. `em` sees only the tenants in `scope` and refuses to write others; it is flushed
   * after `work` and everything commits together or not at all.
   */
  unitOfWork<T>(
    scope: Tenants,
    work: (em: EntityManager, tx: Sql) => Promise<T>,
    options?: UnitOptions,
  ): Promise<T>
  /**
   * Writes the changes of a unit of work and these rows, which nothing reads before the commit, in as few statements as the
   * database allows. The last that a unit of work does.
   */
  flush(em: EntityManager, tx: Sql, rows: readonly NewRow[]): Promise<void>
  /** Wakes `listener` with each payload sent to `channel`, by this process or another. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>
  /**
   * Sends `payload` (under 8,000 bytes) to every listener once `tx` has committed, or at once outside of a transaction. Best effort: a
   * process that dies right after its commit sends nothing, so listeners also look for themselves now and then.
   */
  notify(tx: Sql, channel: string, payload: string): Promise<void>
  /** Whether statements can compare vectors: by sqlite-vec or pgvector, which an installation may do without. */
  vectors(): Promise<VectorSupport>
  /** Rejects when the database cannot be read. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** What statements compare vectors with, by name and version; or why they cannot, in words that go after "because". */
export type VectorSupport = { by: string } | { by?: undefined; missing: string }

export interface UnitOptions {
  /**
   * SQLite only: executes the statements in a thread, while the event loop goes on. For many rows: each statement is a message, and
   * the unit shares no commit with others. The next one may be sent before the answer to the last, as on PostgreSQL.
   */
  inThread?: boolean
}

export type Entities = readonly EntitySchema[]

export interface DatabaseOptions {
  /** `sqlite:<path>`, a path, or `postgres://…`. */
  url: string
  /** Those of the ORM; or where they come from when it is opened. */
  entities: Entities | (() => Promise<Entities>)
  migrations: readonly MigrationScript[]
  log: Logger
  /** Connections to PostgreSQL for each of the two pools (units of work, hand-written statements); the first that opens it decides. */
  poolSize?: number
  /**
   * PostgreSQL only: the URL of the connection that listens, for installations whose `url` is that of a pooler in transaction
   * mode. Default: `url`.
   */
  listenUrl?: string
  /** PostgreSQL only: whether the server keeps statements by name (default true); false for poolers that cannot. */
  preparedStatements?: boolean
  /** SQLite only: `full` (default) survives a power cut, `off` is for tests that throw the file away. */
  synchronous?: 'full' | 'off'
}

/** A fault of the database that a person can fix: one plain sentence with the remedy. */
export class DatabaseError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'DatabaseError'
  }
}

/**
 * Opens a database. Nothing is migrated by it.
 * @throws DatabaseError when it cannot be reached, is locked, is corrupt or is no database at all
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (/^postgres(ql)?:/.test(options.url)) {
    const { openPostgres } = await import('./postgres.ts')
    return openPostgres(options)
  }
  const { openSqlite } = await import('./sqlite.ts')
  return openSqlite(options)
}

const takenCodes: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  // None of our triggers raises a fault for another reason.
  'SQLITE_CONSTRAINT_TRIGGER',
])

/** Whether a hand-written statement has failed because a value is there already that may be there once. */
export const isThereAlready = (error: unknown): boolean => takenCodes.has((error as { code?: unknown }).code)

/** `?, ?, ?` for as many values as there are; `null` when there are none, which matches nothing. */
export function placeholders(values: readonly unknown[]): string {
  return values.length === 0 ? 'null' : values.map(() => '?').join(', ')
}
