import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { TestApp } from './app.ts'

const ulid = createIds(createSystemClock())

/** Inserts a row of a tenant. @returns its id */
export async function insertRow(
  app: TestApp,
  tenantId: string,
  table: string,
  row: Record<string, SqlValue>,
): Promise<string> {
  const all = { ...row, id: ulid(), tenant_id: tenantId }
  const names = Object.keys(all)
  await app.db.write((tx) =>
    tx.run(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      Object.values(all),
    ),
  )
  return all.id
}
