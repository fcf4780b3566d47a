import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import type { AbstractSqlDriver, MikroORM } from '@mikro-orm/sql'
import type { DatabaseOptions } from './database.ts'
import { openWithEntities } from './discovery.ts'
import { ormOptions } from './orm-options.ts'
import { updatePlainly } from './plain-updates.ts'
import { PatientDriver } from './postgres-driver.ts'
import { gatherWrites } from './postgres-flush.ts'

/** The ORM on the shared pool of units of work. */
export async function openPostgresOrm(options: DatabaseOptions): Promise<MikroORM> {
  const { url, poolSize = 8 } = options
  const orm = (await openWithEntities('postgresql', options.entities, (entities) =>
    PostgresOrm.init({
      clientUrl: url,
      ...entities,
      ...ormOptions('postgresql', options),
      driver: PatientDriver,
      pool: { min: 0, max: poolSize },
    }),
  )) as unknown as MikroORM
  // Sends nothing yet, and makes the pool.
  await orm.connect()
  const driver = orm.driver as AbstractSqlDriver
  gatherWrites(driver)
  updatePlainly(driver)
  return orm
}
