import { setImmediate } from 'node:timers/promises'
import type { Transaction } from '../../../../kernel/context.ts'
import { type Column, count, pick, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'
import { KnownLeads, keysOf, type Line } from './known.ts'
import type { ReadyLeads } from './ready.ts'

const l = table(Lead, 'l')
const known = select(pick(l, 'id', 'identity', 'phoneKey'))

/** How many values are looked up by one statement; others are answered between two. */
const perLook = 500

/** Looks the leads of many lines up at once. */
export async function knownLeads(
  txn: Transaction,
  tenantId: string,
  lines: readonly Line[],
): Promise<KnownLeads> {
  const found = new KnownLeads()
  const { ids, identities, phones } = keysOf(lines)
  const lookUp = async (column: Column<unknown>, values: readonly string[]) => {
    const parts = Array.from({ length: Math.ceil(values.length / perLook) }, (_, n) =>
      JSON.stringify(values.slice(n * perLook, (n + 1) * perLook)),
    )
    for (const rows of await Promise.all(parts.map((part) => leadsWith(txn, tenantId, column, part)))) {
      for (const { id, ...keys } of rows) found.add(keys, id)
      await setImmediate()
    }
  }
  await lookUp(l.id, ids)
  await lookUp(l.identity, identities)
  await lookUp(l.phoneKey, phones)
  return found
}

const anything = select({ found: count('1') })

/** Whether a lead is there that one of these would double; one statement, since each is waited for by the next. */
export async function areKnown(
  { tx, db }: Transaction,
  tenantId: string,
  { identities, phones }: ReadyLeads,
): Promise<boolean> {
  const looks = [
    { column: l.identity, values: identities },
    { column: l.phoneKey, values: phones },
  ].filter(({ values }) => values !== undefined)
  if (looks.length === 0) return false
  const texts = looks.map(({ column }) => `select 1 ${withValues[db.dialect](column)}`)
  const params = looks.flatMap(({ values = '' }) => [values, tenantId])
  return (await anything.get(tx, `from (${texts.join(' union all ')}) k limit 1`, params)) !== undefined
}

/** @param values JSON */
const leadsWith = ({ tx, db }: Transaction, tenantId: string, column: Column<unknown>, values: string) =>
  known.all(tx, withValues[db.dialect](column), [values, tenantId])

/**
 * One look into the index for each value. Statistics of a table that grows this fast are of no use: PostgreSQL would read all of it for a list
 * of values.
 */
const withValues = {
  postgresql: (column: Column<unknown>) => `from json_array_elements_text(?::json) v (value)
    cross join lateral (select l.* from ${l} where l.tenant_id = ? and ${column} = v.value limit 1) l`,
  sqlite: (column: Column<unknown>) =>
    `from json_each(?) v cross join ${l} where l.tenant_id = ? and ${column} = v.value`,
}
