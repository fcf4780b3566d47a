import { Migrator } from '@mikro-orm/migrations'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import type { AbstractSqlDriver, MikroORM } from '@mikro-orm/sql'
import { type Database, type DatabaseOptions, type EntityManager, type Sql } from './database.ts'
import { openWithEntities } from './discovery.ts'
import { madeByMigrations, toMigrations } from './migrate.ts'
import { updatePlainly } from './plain-updates.ts'
import { createListener, createNotifier } from './postgres-channels.ts'
import { PatientDriver } from './postgres-driver.ts'
import { flushTogether, gatherWrites } from './postgres-flush.ts'
import { checkConnections } from './postgres-pooler.ts'
import { joinPools } from './postgres-pools.ts'
import { statements } from './postgres-statements.ts'
import { commit, forkFor, TenantGuard } from './scope.ts'

/** PostgreSQL: a pool for the ORM's units of work and one for hand-written statements, both shared, and a connection that listens. */
export async function openPostgres(options: DatabaseOptions): Promise<Database> {
  const { url, log, poolSize = 8 } = options
  const pools = joinPools(options)
  const { statements: pool, preparing } = pools
  await checkConnections(pools, options).catch(async (error: unknown) => {
    await pools.leave()
    throw error
  })
  const orm = (await openWithEntities('postgresql', options.entities, (entities) =>
    PostgresOrm.init({
      clientUrl: url,
      ...entities,
      driver: PatientDriver,
      extensions: [Migrator],
      pool: { min: 0, max: poolSize },
      migrations: {
        migrationsList: toMigrations(options.migrations, 'postgresql'),
        snapshot: false,
        transactional: true,
      },
      subscribers: [new TenantGuard()],
      forceUtcTimezone: true,
      ensureDatabase: false,
      schemaGenerator: madeByMigrations,
      colors: false,
      logger: (message) => log.debug(message),
    }),
  )) as unknown as MikroORM
  const driver = orm.driver as AbstractSqlDriver
  gatherWrites(driver)
  updatePlainly(driver)
  const listener = createListener(options.listenUrl ?? url, options)
  const sql = statements(pool, preparing)
  const notifier = createNotifier(sql, log)
  return {
    dialect: 'postgresql',
    orm,
    sql,
    async write(work) {
      const client = await pool.connect()
      const tx = statements(client, preparing)
      try {
        await client.query('begin')
        const result = await work(tx)
        await client.query('commit')
        client.release()
        notifier.committed(tx)
        return result
      } catch (error) {
        const broken = await client.query('rollback').then(
          () => undefined,
          (failure: Error) => failure,
        )
        client.release(broken)
        throw error
      }
    },
    async unitOfWork(scope, work) {
      const em = forkFor(orm, scope, 'postgresql')
      try {
        await em.begin()
        const tx = insideOrm(em)
        const result = await work(em, tx)
        await commit(em)
        notifier.committed(tx)
        return result
      } catch (error) {
        await em.rollback().catch(() => undefined)
        throw error
      }
    },
    flush: flushTogether,
    listen: listener.listen,
    notify: notifier.notify,
    async ping() {
      await pool.query('select 1')
    },
    async close() {
      await notifier.close()
      await listener.close()
      await orm.close(true)
      await pools.leave()
    },
  }
}

function insideOrm(em: EntityManager): Sql {
  const execute = (text: string, params: readonly unknown[] = [], method: 'all' | 'get' | 'run') =>
    em.getConnection().execute(text, [...params], method, em.getTransactionContext())
  return {
    all: async (text, params) => (await execute(text, params, 'all')) as never,
    get: async (text, params) => (await execute(text, params, 'get')) as never,
    run: async (text, params) =>
      ((await execute(text, params, 'run')) as unknown as { affectedRows: number }).affectedRows,
  }
}
