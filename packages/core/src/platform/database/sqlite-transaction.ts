import type BetterSqlite from 'better-sqlite3'
import type { CompiledQuery, QueryResult } from 'kysely'
import { preparedOn } from './sqlite-statements.ts'

/** Statements of the ORM within one unit of work, which is given this in place of a transaction of kysely's. */
export class SqliteTransaction {
  readonly #prepare: (text: string) => BetterSqlite.Statement
  #ended = false

  constructor(handle: BetterSqlite.Database) {
    this.#prepare = preparedOn(handle)
  }

  async executeQuery({ sql, parameters }: CompiledQuery): Promise<QueryResult<never>> {
    if (this.#ended) throw new Error('The transaction has ended')
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) as never[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  }

  /** What comes later belongs to no unit of work. */
  end(): void {
    this.#ended = true
  }
}
