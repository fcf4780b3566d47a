import type { Configuration } from '@mikro-orm/core'
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { type Driver, PostgresDriver } from 'kysely'
import type { Pool } from 'pg'
import { withBoundValues } from './bound-values.ts'
import { poolsOf } from './postgres-pools.ts'
import { inUtc } from './postgres-statements.ts'

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

const binding = { mark: (position: number) => `$${position}`, bind: inUtc }

class PatientConnection extends withBoundValues(PostgreSqlConnection, binding) {
  override createKyselyDialect(overrides: Parameters<PostgreSqlConnection['createKyselyDialect']>[0]) {
    let made: Pool | undefined
    const onPoolCreated = (pool: Pool) => void (made = pool)
    const dialect = super.createKyselyDialect({ ...overrides, onPoolCreated } as typeof overrides)
    dialect.createDriver = () => {
      const { options } = made as Pool
      const shared = poolsOf(this.config.get('clientUrl') ?? '').forUnitsOfWork(options.types)
      // Ended by the last who uses it, not with this driver.
      const end = async () => undefined
      return patient(new PostgresDriver({ pool: { options, connect: () => shared.connect(), end } }))
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
