import type { Configuration } from '@mikro-orm/core'
import { SqliteConnection, SqliteDriver as SqliteOrmDriver } from '@mikro-orm/sqlite'
import type BetterSqlite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { withBoundValues } from './bound-values.ts'
import type { SharedCommits } from './sqlite-commits.ts'
import { bind, preparedOn } from './sqlite-statements.ts'

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

/** The ORM's connection: its transactions are units of work among those of everybody else. */
export class SerialDialect extends SqliteDialect {
  readonly #handle: Handle
  readonly #commits: SharedCommits

  constructor(handle: Handle, commits: SharedCommits) {
    super({ database: keeping(handle) })
    this.#handle = handle
    this.#commits = commits
  }

  override createAdapter(): SqliteAdapter {
    return new SerialAdapter()
  }

  override createDriver(): SqliteDriver {
    return new SerialDriver(this.#handle, this.#commits)
  }
}

/** Keeps kysely from a queue of its own: that one is never left by a transaction that could not begin. */
class SerialAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SerialDriver extends SqliteDriver {
  readonly #commits: SharedCommits

  constructor(handle: Handle, commits: SharedCommits) {
    super({ database: keeping(handle) })
    this.#commits = commits
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#commits.enter()
    return new Turn(await super.acquireConnection(), this.#commits)
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = connection as Turn
    try {
      turn.begin()
    } catch (error) {
      // No one gives a connection back on which no transaction began: the next writers would wait for ever.
      turn.end()
      throw error
    }
  }

  override commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as Turn).commit()
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    ;(connection as Turn).rollback()
  }

  override async releaseConnection(connection?: DatabaseConnection): Promise<void> {
    ;(connection as Turn).end()
  }
}

/** The one connection in the hands of one unit of work, or of statements that belong to none. */
class Turn implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #commits: SharedCommits
  #state: 'begun' | 'ended' | undefined

  constructor(connection: DatabaseConnection, commits: SharedCommits) {
    this.#connection = connection
    this.#commits = commits
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#state) await this.#commits.flush()
    return this.#connection.executeQuery(query)
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    if (!this.#state) await this.#commits.flush()
    yield* this.#connection.streamQuery(query, chunkSize)
  }

  begin(): void {
    this.#commits.begin()
    this.#state = 'begun'
  }

  async commit(): Promise<void> {
    const durable = this.#commits.commit()
    this.#state = 'ended'
    await durable
  }

  /** Does nothing to a unit whose commit has failed: it is gone already. */
  rollback(): void {
    if (this.#state === 'begun') this.#commits.rollback()
  }

  end(): void {
    if (this.#state !== 'ended') this.#commits.leave()
    this.#state = 'ended'
  }
}
