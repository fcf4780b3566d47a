import type { CompiledQuery, QueryResult } from 'kysely'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { Sql } from './database.ts'
import { statementName, statements } from './postgres-statements.ts'

/** What the types of `pg` leave out. */
interface Connected {
  connection: { stream: Pick<NodeJS.WritableStream, never> & Corkable }
}
interface Corkable {
  readonly writableCorked: number
  cork(): void
  uncork(): void
}

/**
 * One transaction on a connection of its own; the ORM is given it in place of one of kysely's. What is sent before the event loop
 * turns makes one journey: the beginning goes with the first statement, reads that do not wait for each other go together, and the
 * commit goes with the last write. The server works through them in their order, and after a failure takes none any more.
 */
export class PostgresTransaction {
  /** Hand-written statements inside it. */
  readonly sql: Sql
  readonly #client: PoolClient
  readonly #preparing: boolean
  readonly #begun: Promise<unknown>
  #last: Promise<unknown> | undefined
  #ended = false

  private constructor(client: PoolClient, preparing: boolean) {
    this.#client = client
    this.#preparing = preparing
    this.sql = statements({ query: (config) => this.#send(config) }, preparing)
    this.#begun = this.#send({ text: 'begin' })
    // Told by the commit; what is sent before it fails as well.
    this.#begun.catch(() => undefined)
  }

  /** @param pool of connections that take statements before the answers to earlier ones */
  static async begin(pool: Pool, preparing: boolean): Promise<PostgresTransaction> {
    return new PostgresTransaction(await pool.connect(), preparing)
  }

  /** A statement of the ORM. */
  async executeQuery({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<never>> {
    const named = this.#preparing && parameters.length > 0 && statementName(text)
    const { rows, rowCount } = await this.#send({ text, values: [...parameters], ...named })
    return { rows: rows as never[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  /** Leaves it to the commit to wait for `write`, which nothing else depends on. */
  endWith(write: Promise<unknown>): void {
    write.catch(() => undefined)
    this.#last = write
  }

  /** @throws what the last write throws; nothing is written then */
  async commit(): Promise<void> {
    const committed = this.#send({ text: 'commit' })
    this.#ended = true
    const [begun, written, commit] = await Promise.allSettled([this.#begun, this.#last, committed])
    const failed = [begun, written, commit].find(({ status }) => status === 'rejected')
    // Whatever has failed, a commit that was answered has ended the transaction.
    this.#client.release(commit.status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    if (commit.status === 'fulfilled' && commit.value.command !== 'COMMIT')
      throw new Error('Nothing was written: a statement of the transaction had failed before')
  }

  /** Takes everything back; does nothing after a commit. */
  async rollback(): Promise<void> {
    if (this.#ended) return
    const taken = this.#send({ text: 'rollback' })
    this.#ended = true
    // What is lost is rolled back: the server does it when the connection ends, and the pool throws a broken one away.
    const broken = await taken.then(
      () => undefined,
      (error: Error) => error,
    )
    this.#client.release(broken)
  }

  #send(config: QueryConfig) {
    if (this.#ended) throw new Error('The transaction has ended')
    const { stream } = (this.#client as unknown as Connected).connection
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    return this.#client.query(config)
  }
}
