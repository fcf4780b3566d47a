import type { Sql, SqlValue } from '../platform/database/database.ts'

/** Rows of one statement, so that none has more parameters than SQLite takes. */
const batch = 200

/**
 * Writes rows that are known by a key of theirs: what is new is added, what differs is put right, and what is as it was is not written.
 * @param into `key` the columns of a unique index, `fixed` what a known row keeps, `values` what is compared, `stamp` what is set
 *   with every change
 * @param rows values by column, all columns in each
 * @returns how many rows were new or different
 */
export async function upsertRows(
  tx: Sql,
  into: {
    table: string
    key: readonly string[]
    fixed: readonly string[]
    values: readonly string[]
    stamp: readonly string[]
  },
  rows: ReadonlyArray<Readonly<Record<string, SqlValue>>>,
): Promise<number> {
  const { table, key, fixed, values, stamp } = into
  const columns = [...key, ...fixed, ...values, ...stamp]
  const tuple = `(${columns.map(() => '?').join(', ')})`
  const assigned = [...values, ...stamp].map((name) => `${name} = excluded.${name}`).join(', ')
  const differs = values.map((name) => `o.${name} is distinct from excluded.${name}`).join(' or ')
  let written = 0
  for (let at = 0; at < rows.length; at += batch) {
    const part = rows.slice(at, at + batch)
    written += await tx.run(
      `insert into ${table} as o (${columns.join(', ')}) values ${part.map(() => tuple).join(', ')}
       on conflict (${key.join(', ')}) do update set ${assigned} where ${differs}`,
      part.flatMap((row) => columns.map((name) => row[name] ?? null)),
    )
  }
  return written
}
