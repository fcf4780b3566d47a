import type { Database, DatabaseOptions } from './database.ts'
import { openedLater } from './discovery.ts'
import { insertRows } from './new-rows.ts'
import { createListener, createNotifier } from './postgres-channels.ts'
import { flushTogether } from './postgres-flush.ts'
import { checkConnections } from './postgres-pooler.ts'
import { joinPools } from './postgres-pools.ts'
import { statements } from './postgres-statements.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { findVectors } from './postgres-vectors.ts'
import { forkFor, isFlushed } from './scope.ts'

/** PostgreSQL: a pool for the ORM's units of work and one for hand-written statements, both shared, and a connection that listens. */
export async function openPostgres(options: DatabaseOptions): Promise<Database> {
  const { url, log } = options
  const pools = joinPools(options)
  const { statements: pool, preparing } = pools
  await checkConnections(pools, options).catch(async (error: unknown) => {
    await pools.leave()
    throw error
  })
  const orm = openedLater(async () => {
    const { openPostgresOrm } = await import('./postgres-orm.ts')
    return openPostgresOrm(options)
  })
  const listener = createListener(options.listenUrl ?? url, options)
  const sql = statements(pool, preparing)
  const notifier = createNotifier(sql, log)
  return {
    dialect: 'postgresql',
    migrations: options.migrations.map(({ name }) => name),
    orm: orm.get,
    sql,
    async write(work) {
      const transaction = await PostgresTransaction.begin(pool, preparing)
      try {
        const result = await work(transaction.sql)
        await transaction.commit()
        notifier.committed(transaction.sql)
        return result
      } catch (error) {
        await transaction.rollback()
        throw error
      }
    },
    add: (row) => insertRows(sql, [row]),
    async unitOfWork(scope, work) {
      const em = forkFor(await orm.get(), scope, 'postgresql')
      const transaction = await PostgresTransaction.begin(pools.unitsOfWork, preparing)
      em.setTransactionContext(transaction)
      try {
        const result = await work(em, transaction.sql)
        if (!isFlushed(em)) await em.flush()
        await transaction.commit()
        notifier.committed(transaction.sql)
        return result
      } catch (error) {
        await transaction.rollback()
        throw error
      } finally {
        em.resetTransactionContext()
      }
    },
    flush: (em, _tx, rows) => flushTogether(em, rows),
    listen: listener.listen,
    notify: notifier.notify,
    vectors: () => findVectors(sql),
    async ping() {
      await pool.query('select 1')
    },
    async close() {
      await notifier.close()
      await listener.close()
      await orm.close((opened) => opened.close(true))
      await pools.leave()
    },
  }
}
