import type { Options } from '@mikro-orm/core'
import { Migration, Migrator } from '@mikro-orm/migrations'
import type { DatabaseOptions, Dialect } from './database.ts'
import type { MigrationScript } from './migrate.ts'
import { TenantGuard } from './scope.ts'

/** What the ORM is told on both databases. */
export function ormOptions(dialect: Dialect, { migrations, log }: DatabaseOptions) {
  return {
    extensions: [Migrator],
    migrations: { migrationsList: toMigrations(migrations, dialect), snapshot: false, transactional: true },
    subscribers: [new TenantGuard()],
    forceUtcTimezone: true,
    ensureDatabase: false,
    // No entity has relations, so there is nothing to pass on: else each value of each row would get accessors of its own.
    propagationOnPrototype: false,
    schemaGenerator: madeByMigrations,
    colors: false,
    logger: (message) => log.debug(message),
  } satisfies Partial<Options>
}

/**
 * What the ORM has no word for and leaves alone when it compares the schema with the entities: functions, triggers, the full-text indexes, which
 * are tables whose names end with `_words`, with what SQLite keeps beside them, what no two leads share there, and the vectors of pgvector.
 */
const madeByMigrations = {
  skipTables: [/_words(_[a-z]+)?$/, /^lead_identities/, /^knowledge_vectors$/],
  ignoreTriggers: true,
  ignoreRoutines: true,
}

/** The scripts as the ORM's migrator takes them. */
function toMigrations(
  scripts: readonly MigrationScript[],
  dialect: Dialect,
): Array<{ name: string; class: new (...args: ConstructorParameters<typeof Migration>) => Migration }> {
  return scripts.map((script) => ({
    name: script.name,
    class: class extends Migration {
      override up(): void {
        for (const statement of script.up[dialect]) this.addSql(statement)
      }
      override down(): void {
        for (const statement of script.down[dialect]) this.addSql(statement)
      }
    },
  }))
}
