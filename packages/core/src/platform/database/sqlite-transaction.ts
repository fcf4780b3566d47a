import type BetterSqlite from 'better-sqlite3'
import type { CompiledQuery, QueryResult } from 'kysely'
import { preparedOn } from './sqlite-statements.ts'

export interface Ran {
  changes: number
  lastInsertRowid: number | bigint
}

/** Executes a statement. @returns its rows, if it is one that has rows */
export type Execute = (text: string, params: readonly unknown[]) => unknown[] | Ran | Promise<unknown[] | Ran>

/** Statements of the ORM within one unit of work, which is given this in place of a transaction of kysely's. */
export class SqliteTransaction {
  readonly #execute: Execute
  #ended = false

  constructor(execute: Execute) {
    this.#execute = execute
  }

  async executeQuery({ sql, parameters }: CompiledQuery): Promise<QueryResult<never>> {
    if (this.#ended) throw new Error('The transaction has ended')
    const result = await this.#execute(sql, parameters)
    if (Array.isArray(result)) return { rows: result as never[] }
    const { changes, lastInsertRowid } = result
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  }

  /** What comes later belongs to no unit of work. */
  end(): void {
    this.#ended = true
  }
}

/** Executes statements on a connection of this thread. */
export function executeOn(handle: BetterSqlite.Database): Execute {
  const prepare = preparedOn(handle)
  return (text, params) => {
    const statement = prepare(text)
    return statement.reader ? statement.all(params) : statement.run(params)
  }
}
