import type { Configuration } from '@mikro-orm/core'
import { SqliteConnection, SqliteDriver as SqliteOrmDriver } from '@mikro-orm/sqlite'
import { Mutex as Queue } from 'async-mutex'
import type BetterSqlite from 'better-sqlite3'
import { type DatabaseConnection, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely'
import { withBoundValues } from './bound-values.ts'
import { bind, preparedOn } from './sqlite-statements.ts'

/**
 * First come, first served, and one in each turn of the event loop: what holds it blocks the loop, so connections, streams and
 * timers have their turn before the next one.
 */
export interface Mutex {
  /** @returns the function that lets the next one in; call it exactly once */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  const queue = new Queue()
  return {
    async acquire() {
      const release = await queue.acquire()
      return () => void setImmediate(release)
    },
  }
}

type Handle = BetterSqlite.Database

const BoundSqliteConnection = withBoundValues(SqliteConnection, { mark: () => '?', bind })

/** The ORM's driver, with values apart from the texts of its statements. */
export class BoundSqliteDriver extends SqliteOrmDriver {
  protected override readonly connection: SqliteConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new BoundSqliteConnection(config)
  }
}

/** What kysely asks of a handle, with statements that are kept. */
function keeping(handle: Handle) {
  return { prepare: preparedOn(handle), close: () => void handle.close() }
}

/** The ORM's connection: transactions take the write lock at once, and wait on the same mutex as everybody else. */
export class SerialDialect extends SqliteDialect {
  readonly #handle: Handle
  readonly #mutex: Mutex

  constructor(handle: Handle, mutex: Mutex) {
    super({ database: keeping(handle) })
    this.#handle = handle
    this.#mutex = mutex
  }

  override createAdapter(): SqliteAdapter {
    return new SerialAdapter()
  }

  override createDriver(): SqliteDriver {
    return new SerialDriver(this.#handle, this.#mutex)
  }
}

/** Keeps kysely from a queue of its own: that one is never left by a transaction that could not begin. */
class SerialAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SerialDriver extends SqliteDriver {
  readonly #handle: Handle
  readonly #mutex: Mutex
  #release: (() => void) | undefined

  constructor(handle: Handle, mutex: Mutex) {
    super({ database: keeping(handle) })
    this.#handle = handle
    this.#mutex = mutex
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#mutex.acquire()
    this.#release = release
    return super.acquireConnection()
  }

  override async beginTransaction(): Promise<void> {
    try {
      this.#handle.exec('begin immediate')
    } catch (error) {
      // No one gives a connection back on which no transaction began: the next writers would wait for ever.
      await this.releaseConnection()
      throw error
    }
  }

  override async releaseConnection(): Promise<void> {
    const release = this.#release
    this.#release = undefined
    release?.()
  }
}
