import { setImmediate } from 'node:timers/promises'
import type { Transaction } from '../../../../kernel/context.ts'
import type { Dialect } from '../../../../platform/database/database.ts'
import { type Column, count, pick, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'
import { numbersIn } from '../identity-queries.ts'
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

/**
 * Whether a lead is there that one of these would double by its telephone number alone; one statement, since each is waited for by the
 * next.
 */
export async function areKnown(
  { tx, db }: Transaction,
  tenantId: string,
  { phones, phonesOfAddressed }: ReadyLeads,
): Promise<boolean> {
  const looks = [
    ...(phones === undefined ? [] : [withValues(db.dialect, tenantId, l.phoneKey, phones)]),
    ...(phonesOfAddressed === undefined
      ? []
      : [withValues(db.dialect, tenantId, l.phoneKey, phonesOfAddressed, 'and l.email is null')]),
  ]
  if (looks.length === 0) return false
  const texts = looks.map(({ from }) => `select 1 ${from}`)
  const params = looks.flatMap((look) => look.params)
  return (await anything.get(tx, `from (${texts.join(' union all ')}) k limit 1`, params)) !== undefined
}

function leadsWith({ tx, db }: Transaction, tenantId: string, column: Column<unknown>, values: string) {
  const { from, params } = withValues(db.dialect, tenantId, column, values)
  return known.all(tx, from, params)
}

/**
 * The leads that have one of some values; `l` is their row. One look into the index for each value: statistics of a table that grows this
 * fast are of no use, and PostgreSQL would read all of it for a list of values.
 * @param values JSON
 * @param condition what else is asked of the lead
 */
function withValues(
  dialect: Dialect,
  tenantId: string,
  column: Column<unknown>,
  values: string,
  condition = '',
) {
  const params = [values, tenantId]
  if (dialect === 'postgresql')
    return {
      from: `from json_array_elements_text(?::json) v (value)
        cross join lateral (select l.* from ${l} where l.tenant_id = ? and ${column} = v.value ${condition} limit 1) l`,
      params,
    }
  if (column === l.identity) {
    const numbers = numbersIn('json_each(?) v cross join ', 'k.tenant_id = ? and k.identity = v.value')
    return { from: `from ${l} where l.seq in (${numbers})`, params: [...params, ...params] }
  }
  return {
    from: `from json_each(?) v cross join ${l} where l.tenant_id = ? and ${column} = v.value ${condition}`,
    params,
  }
}
