import type { MigrationScript } from '../../platform/database/migrate.ts'
import { migration as start } from './0001-start.ts'
import { migration as accounts } from './0002-accounts.ts'
import { migration as billing } from './0003-billing.ts'
import { migration as operators } from './0004-operators.ts'

/** Every step of the schema, in order. A step that was released is never changed. */
export const migrations: readonly MigrationScript[] = [start, accounts, billing, operators]
