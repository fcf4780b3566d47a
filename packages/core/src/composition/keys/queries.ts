import { Setting } from '../../kernel/entities.ts'
import type { Sql } from '../../platform/database/database.ts'
import { select, table } from '../../platform/database/read.ts'

const s = table(Setting, 's')
const stored = select({ value: s.value })

/** A fact about this installation; undefined where it has not been stored yet. */
export async function settingValue(sql: Sql, name: string): Promise<string | undefined> {
  return (await stored.get(sql, 'from settings s where s.name = ?', [name]))?.value
}
