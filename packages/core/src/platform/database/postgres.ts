import { Migrator } from '@mikro-orm/migrations'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import type { MikroORM } from '@mikro-orm/sql'
import { Client } from 'pg'
import { type Database, type DatabaseOptions, type EntityManager, type Sql } from './database.ts'
import { openWithEntities } from './discovery.ts'
import { toMigrations } from './migrate.ts'
import { PatientDriver } from './postgres-driver.ts'
import { checkConnections } from './postgres-pooler.ts'
import { joinPools } from './postgres-pools.ts'
import { statements } from './postgres-statements.ts'
import { forkFor, TenantGuard } from './scope.ts'

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
      colors: false,
      logger: (message) => log.debug(message),
    }),
  )) as unknown as MikroORM
  const hub = createListener(options.listenUrl ?? url, options)
  return {
    dialect: 'postgresql',
    orm,
    sql: statements(pool, preparing),
    async write(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work(statements(client, preparing))
        await client.query('commit')
        client.release()
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
      const em = forkFor(orm, scope)
      try {
        await em.begin()
        const result = await work(em, insideOrm(em))
        await em.commit()
        return result
      } catch (error) {
        await em.rollback().catch(() => undefined)
        throw error
      }
    },
    listen: hub.listen,
    async notify(tx, channel, payload) {
      await tx.run('select pg_notify(?, ?)', [channel, payload])
    },
    async ping() {
      await pool.query('select 1')
    },
    async close() {
      await hub.close()
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

/** One connection that listens for everybody; when it breaks it comes back and wakes all listeners once with ''. */
function createListener(url: string, { log }: DatabaseOptions) {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  let client: Client | undefined
  let closed = false
  let opening: Promise<void> | undefined

  const open = async () => {
    const fresh = new Client({ connectionString: url })
    fresh.on('error', (error) => {
      if (client === fresh) client = undefined
      if (closed) return
      log.warn('the listening connection to PostgreSQL was lost, opening another', { error })
      retry()
    })
    fresh.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    await fresh.connect()
    for (const channel of listeners.keys()) await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`)
    client = fresh
  }
  const retry = () => {
    const timer = setTimeout(() => {
      if (closed || client) return
      opening = open().then(() => {
        for (const set of listeners.values()) for (const listener of set) listener('')
      }, retry)
    }, 500)
    timer.unref()
  }
  return {
    async listen(channel: string, listener: (payload: string) => void) {
      const known = listeners.get(channel)
      listeners.set(channel, (known ?? new Set()).add(listener))
      if (!client) await (opening ??= open())
      if (!known) await client?.query(`listen ${client.escapeIdentifier(channel)}`)
      return async () => void listeners.get(channel)?.delete(listener)
    },
    async close() {
      closed = true
      await opening?.catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  }
}
