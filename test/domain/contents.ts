import type { TestApp } from '../kit/app.ts'
import { rowsOf, unasked } from '../kit/rows.ts'

/** All rows of those tables that requests can change, to show that one has changed nothing in them. */
export async function contents(app: TestApp, tables: readonly string[]): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const table of tables.filter((each) => !unasked.has(each)))
    all[table] = await app.db.sql.all(`select * from ${rowsOf(table)} order by 1`)
  return all
}

/** What an act on a campaign could leave behind. */
export const campaignTables = [
  'campaigns',
  'deliverables',
  'periods',
  'activities',
  'runs',
  'job',
  'event',
  'audit_records',
  'notifications',
]
