import { type Database, DatabaseError, type Dialect } from './database.ts'
import { executedSteps } from './migration-queries.ts'

/** One step of the schema, said in the words of each database. */
export interface MigrationScript {
  /** Sortable and unique, for example `0001-start`. */
  name: string
  up: Record<Dialect, readonly string[]>
  down: Record<Dialect, readonly string[]>
}

export interface MigrationStatus {
  executed: string[]
  pending: string[]
  /** Steps that the database has and this version does not know. */
  unknown: string[]
}

/** What the database has been through, and what is left to do. */
export async function migrationStatus(db: Database): Promise<MigrationStatus> {
  const executed = await executedSteps(db)
  const known = db.migrations
  return {
    executed,
    pending: known.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !known.includes(name)),
  }
}

/**
 * Applies every pending step, or all up to and with `to`.
 * @returns the names of the applied steps
 * @throws DatabaseError when the schema comes from a newer version
 */
export async function migrateUp(db: Database, to?: string): Promise<string[]> {
  await refuseFutureSchema(db)
  const { migrator } = await db.orm()
  return (await migrator.up(to ? { to } : {})).map((row) => row.name)
}

/** Takes back the last step, or all after `to`. @returns the names of the steps taken back */
export async function migrateDown(db: Database, to?: string): Promise<string[]> {
  await refuseFutureSchema(db)
  const { migrator } = await db.orm()
  return (await migrator.down(to ? { to } : {})).map((row) => row.name)
}

/** @throws DatabaseError when the database has been migrated by a newer version than this one */
export async function refuseFutureSchema(db: Database): Promise<MigrationStatus> {
  const status = await migrationStatus(db)
  if (status.unknown.length === 0) return status
  throw new DatabaseError(
    `The database was migrated by a newer version of Copydesk (it knows ${status.unknown.join(', ')}). Start that version, or restore a backup made before the upgrade.`,
  )
}

/** @throws DatabaseError unless the schema is exactly the one that this version needs */
export async function requireCurrentSchema(db: Database): Promise<void> {
  const { pending } = await refuseFutureSchema(db)
  if (pending.length > 0) {
    throw new DatabaseError(
      `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`}. Run \`copydesk migrate up\`.`,
    )
  }
}
