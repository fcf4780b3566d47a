import { findPostgres } from '../config/postgres.ts'
import type { Database } from '../packages/core/src/platform/database/database.ts'
import { type Installation, installationIn, lookInto } from './installation.ts'
import type { Metrics } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { temporaryFolder } from './processes.ts'

type Measure = (name: string, installation: Installation, folder: string) => Promise<Metrics>

/** Measures an installation on SQLite, and one on PostgreSQL where that is found. */
export async function onBoth(measure: Measure): Promise<Metrics> {
  using folder = temporaryFolder()
  const onSqlite = await measure('sqlite', installationIn(folder.path), folder.path)
  const postgres = await findPostgres()
  if (postgres.url === undefined) return onSqlite
  try {
    using second = temporaryFolder()
    const onPostgres = await inDatabase(postgres.url, (database) =>
      measure('postgresql', installationIn(second.path, database), second.path),
    )
    return { ...onSqlite, ...onPostgres }
  } finally {
    await postgres.stop()
  }
}

/** Works on the database of an installation that no process has open. */
export async function within<T>(installation: Installation, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await lookInto(installation)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
