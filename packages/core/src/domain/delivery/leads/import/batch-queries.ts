import { setImmediate } from 'node:timers/promises'
import type { Transaction } from '../../../../kernel/context.ts'
import { isUlid } from '../../../../platform/clock.ts'
import { type Column, pick, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'
import { phoneIdentity } from '../policy.ts'

const l = table(Lead, 'l')
const known = select(pick(l, 'id', 'identity', 'phoneKey'))

/** What a line is told from others by. */
interface Line {
  id?: string | undefined
  email?: string | undefined
  identity: string | null
  phoneKey: string | null
}

/** The leads that lines could double, as `duplicateOf` tells them, and those that the lines name by their id. */
export interface KnownLeads {
  /** The id of the lead that a line doubles. */
  find(line: Line): string | undefined
  /** The id of the lead that has what a line would give another one. */
  owner(line: Line): string | undefined
  /** Takes in a lead that was made of a line. */
  add(line: Line, id: string): void
}

/** How many values are looked up by one statement; others are answered between two. */
const perLook = 500

/** Looks the leads of many lines up at once. */
export async function knownLeads(
  { tx, db }: Transaction,
  tenantId: string,
  lines: readonly Line[],
): Promise<KnownLeads> {
  const ids = new Set<string>()
  const byIdentity = new Map<string, string>()
  const byPhone = new Map<string, string>()
  const note = (id: string, { identity, phoneKey }: Pick<Line, 'identity' | 'phoneKey'>) => {
    ids.add(id)
    if (identity !== null) byIdentity.set(identity, id)
    if (phoneKey !== null && !byPhone.has(phoneKey)) byPhone.set(phoneKey, id)
  }
  const lookUp = async (column: Column<unknown>, values: ReadonlyArray<string | undefined | null>) => {
    const wanted = [...new Set(values.filter((value) => typeof value === 'string'))]
    if (wanted.length === 0) return
    const from = db.dialect === 'sqlite' ? inSqlite(column) : inPostgres(column)
    const parts = Array.from({ length: Math.ceil(wanted.length / perLook) }, (_, n) =>
      JSON.stringify(wanted.slice(n * perLook, (n + 1) * perLook)),
    )
    for (const found of await Promise.all(parts.map((part) => known.all(tx, from, [part, tenantId])))) {
      for (const { id, ...keys } of found) note(id, keys)
      await setImmediate()
    }
  }
  await lookUp(
    l.id,
    lines.map(({ id }) => (id !== undefined && isUlid(id) ? id : undefined)),
  )
  await lookUp(
    l.identity,
    lines.flatMap(({ identity, phoneKey }) => [identity, phoneKey === null ? null : phoneIdentity(phoneKey)]),
  )
  // Without an address, the number of a lead that has one tells as well.
  await lookUp(
    l.phoneKey,
    lines.map(({ email, phoneKey }) => (email === undefined ? phoneKey : null)),
  )
  return {
    find({ id, email, identity, phoneKey }) {
      if (id !== undefined && ids.has(id)) return id
      const own = identity === null ? undefined : byIdentity.get(identity)
      if (own !== undefined || phoneKey === null) return own
      return (
        byIdentity.get(phoneIdentity(phoneKey)) ?? (email === undefined ? byPhone.get(phoneKey) : undefined)
      )
    },
    owner: ({ identity }) => (identity === null ? undefined : byIdentity.get(identity)),
    add: (line, id) => note(id, line),
  }
}

/**
 * One look into the index for each value. Statistics of a table that grows this fast are of no use: PostgreSQL would read all of it for a list
 * of values.
 */
const inPostgres = (column: Column<unknown>) => `from json_array_elements_text(?::json) v (value)
  cross join lateral (select l.* from ${l} where l.tenant_id = ? and ${column} = v.value limit 1) l`
const inSqlite = (column: Column<unknown>) =>
  `from json_each(?) v cross join ${l} where l.tenant_id = ? and ${column} = v.value`
