import { Mutex as Queue } from 'async-mutex'
import type BetterSqlite from 'better-sqlite3'
import { type DatabaseConnection, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely'

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

/** The ORM's connection: transactions take the write lock at once, and wait on the same mutex as everybody else. */
export class SerialDialect extends SqliteDialect {
  readonly #handle: Handle
  readonly #mutex: Mutex

  constructor(handle: Handle, mutex: Mutex) {
    super({ database: handle })
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
    super({ database: handle })
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
