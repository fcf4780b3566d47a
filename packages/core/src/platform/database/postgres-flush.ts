import type { AbstractSqlDriver } from '@mikro-orm/sql'
import type { EntityManager, SqlValue } from './database.ts'
import { insertsOf, type NewRow, type Statement } from './new-rows.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import { markFlushed } from './scope.ts'

/** What a flush writes, until it is sent. */
interface Gathered {
  statements: Statement[]
  /** A statement does not see what another one of the same journey has written, so that each table is written once. */
  tables: Set<string>
  send(): Promise<void>
}

/** By transaction, while one is flushed. */
const gathering = new WeakMap<object, Gathered>()

/** Lets the inserts and updates of a flush wait for each other; what has to answer something is sent at once, behind them. */
export function gatherWrites(driver: AbstractSqlDriver): void {
  const execute = driver.execute.bind(driver) as Execute
  const gather: Execute = async (query, params = [], method = 'all', transaction, context) => {
    const gathered = transaction && gathering.get(transaction)
    const table = method === 'run' && typeof query === 'string' ? tableOf(query) : undefined
    if (!gathered) return execute(query, params, method, transaction, context)
    if (!table || gathered.tables.has(table)) await gathered.send()
    if (!table) return execute(query, params, method, transaction, context)
    gathered.tables.add(table)
    gathered.statements.push({ text: query as string, params: params as SqlValue[] })
    return { affectedRows: 1, insertId: 0, row: {}, rows: [] }
  }
  Object.assign(driver, { execute: gather })
}

type Execute = (
  query: unknown,
  params?: unknown[],
  method?: string,
  transaction?: object,
  context?: unknown,
) => Promise<unknown>

/** The table of a statement that only writes. */
function tableOf(text: string): string | undefined {
  return / returning /.test(text) ? undefined : /^(?:insert into|update) "([^"]+)"/.exec(text)?.[1]
}

/**
 * Writes what the ORM has to write and the new rows, in one statement where that makes no difference: each is a journey. The last one is
 * on its way with the commit, which waits for it.
 */
export async function flushTogether(em: EntityManager, rows: readonly NewRow[]): Promise<void> {
  const transaction = em.getTransactionContext<PostgresTransaction>() as PostgresTransaction
  const gathered: Gathered = {
    statements: [],
    tables: new Set(),
    async send() {
      const statements = gathered.statements.splice(0)
      gathered.tables.clear()
      if (statements.length === 0) return
      await runTogether(em, statements).catch((error: Error) => {
        throw em.getDriver().convertException(error)
      })
    },
  }
  gathering.set(transaction, gathered)
  try {
    await em.flush()
  } finally {
    gathering.delete(transaction)
  }
  gathered.statements.push(...insertsOf(rows))
  transaction.endWith(gathered.send())
  markFlushed(em)
}

/** Sent through the ORM's connection, since what it wrote itself has values in its own forms. */
async function runTogether(em: EntityManager, statements: readonly Statement[]): Promise<void> {
  const last = statements.at(-1) as Statement
  const parts = statements.slice(0, -1).map(({ text }, n) => `written_${n} as (${text})`)
  const text = parts.length > 0 ? `with ${parts.join(', ')} ${last.text}` : last.text
  const params = statements.flatMap(({ params }) => params)
  await em.getConnection().execute(text, params, 'run', em.getTransactionContext())
}
