import type { MigrationScript } from '../../platform/database/migrate.ts'
import { migration as start } from './0001-start.ts'

/** Every step of the schema, in order. A step that was released is never changed. */
export const migrations: readonly MigrationScript[] = [start]
