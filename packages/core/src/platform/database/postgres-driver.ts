import type { Configuration } from '@mikro-orm/core'
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { type Driver, PostgresDriver } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { withBoundValues } from './bound-values.ts'
import { poolsOf } from './postgres-pools.ts'
import { statementName } from './postgres-statements.ts'

/**
 * The ORM's driver, outliving broken connections. kysely keeps a connection on which no transaction could begin or be
 * rolled back; each one would be a place less in the pool, until the last is gone and every unit of work waits for ever.
 */
export class PatientDriver extends PostgreSqlDriver {
  protected override readonly connection: PostgreSqlConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new PatientConnection(config)
  }
}

/** Dates in UTC, as the ORM would write them: the driver's own are in the zone of this process. */
const binding = {
  mark: (position: number) => `$${position}`,
  bind: (value: unknown) => (value instanceof Date ? value.toISOString() : value),
}

class PatientConnection extends withBoundValues(PostgreSqlConnection, binding) {
  override createKyselyDialect(overrides: Parameters<PostgreSqlConnection['createKyselyDialect']>[0]) {
    let made: Pool | undefined
    const onPoolCreated = (pool: Pool) => void (made = pool)
    const dialect = super.createKyselyDialect({ ...overrides, onPoolCreated } as typeof overrides)
    dialect.createDriver = () => {
      const pools = poolsOf(this.config.get('clientUrl') ?? '')
      const shared = pools.forUnitsOfWork(made as Pool)
      // Ended by the last who uses it, not with this driver.
      const end = async () => undefined
      const connect = async () => (pools.preparing ? preparing(await shared.connect()) : shared.connect())
      return patient(new PostgresDriver({ pool: { options: shared.options, connect, end } }))
    }
    return dialect
  }
}

function patient(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver)
  const rollback = driver.rollbackTransaction.bind(driver)
  driver.beginTransaction = async (connection, settings) => {
    try {
      await begin(connection, settings)
    } catch (error) {
      await driver.releaseConnection(connection)
      throw error
    }
  }
  // What is lost is rolled back: the server does it when the connection ends, and the pool throws a broken one away.
  driver.rollbackTransaction = (connection) => rollback(connection).catch(() => undefined)
  return driver
}

const clients = new WeakMap<PoolClient, PoolClient>()

/** A client that names its statements, so that the server prepares each text once on each connection. */
function preparing(client: PoolClient): PoolClient {
  const known = clients.get(client)
  if (known) return known
  const query = (text: unknown, values?: unknown[]) =>
    typeof text === 'string' && values && values.length > 0
      ? client.query({ text, values, ...statementName(text) })
      : client.query(text as string, values)
  const made = new Proxy(client, {
    get: (target, key) => (key === 'query' ? query : Reflect.get(target, key, target)),
  })
  clients.set(client, made)
  return made
}
