import type { AbstractSqlDriver, MikroORM } from '@mikro-orm/sql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import type BetterSqlite from 'better-sqlite3'
import type { DatabaseOptions } from './database.ts'
import { openWithEntities } from './discovery.ts'
import { ormOptions } from './orm-options.ts'
import { updatePlainly } from './plain-updates.ts'
import type { SharedCommits } from './sqlite-commits.ts'
import { BoundSqliteDriver, SerialDialect } from './sqlite-dialect.ts'

/** The ORM on the connection that writes. */
export async function openSqliteOrm(
  options: DatabaseOptions,
  path: string,
  { writer, commits }: { writer: BetterSqlite.Database; commits: SharedCommits },
): Promise<MikroORM> {
  const orm = (await openWithEntities('sqlite', options.entities, (entities) =>
    SqliteOrm.init({
      dbName: path,
      ...entities,
      ...ormOptions('sqlite', options),
      driver: BoundSqliteDriver,
      driverOptions: new SerialDialect(writer, commits),
    }),
  )) as unknown as MikroORM
  // Before the first unit of work, within which it would wait for that one's turn to end.
  await orm.connect()
  updatePlainly(orm.driver as AbstractSqlDriver)
  return orm
}
