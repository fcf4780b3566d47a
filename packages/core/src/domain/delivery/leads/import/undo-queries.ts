import { firstIdAt } from '../../../../platform/clock.ts'
import { placeholders, type Sql } from '../../../../platform/database/database.ts'
import { count, pick, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'

const l = table(Lead, 'l')
const made = select(pick(l, 'seq', 'id', 'importId', 'revision'))
const kept = select({ leads: count('count(*)') })

/** How many leads are looked at in one transaction. */
const batch = 500

interface Import {
  id: string
  tenantId: string
  createdOn: Date
}

/**
 * Removes the leads of an import that were not changed since, among the next leads of the tenant.
 * @param after the last id that was looked at
 * @returns how many were removed, and the last id; none when there are no more
 */
export async function removeLeads(
  tx: Sql,
  { id, tenantId, createdOn }: Import,
  after: string,
): Promise<{ removed: number; last: string | undefined }> {
  const from = after === '' ? firstIdAt(createdOn) : after
  const rows = await made.all(
    tx,
    `from ${l} where l.tenant_id = ? and l.id > ? order by l.id limit ${batch}`,
    [tenantId, from],
  )
  const gone = rows.filter(({ importId, revision }) => importId === id && revision === 0)
  if (gone.length > 0) {
    const ids = gone.map((row) => row.id)
    await tx.run(`delete from lead_events where lead_id in (${placeholders(ids)})`, ids)
    // Once more not changed: a person may have been quicker.
    const removed = await tx.run(
      `delete from leads where seq in (${placeholders(gone)}) and revision = 0`,
      gone.map(({ seq }) => seq),
    )
    return { removed, last: rows.at(-1)?.id }
  }
  return { removed: 0, last: rows.at(-1)?.id }
}

/** How many leads of an import are still there. */
export async function countKept(tx: Sql, { id, tenantId, createdOn }: Import): Promise<number> {
  const row = await kept.get(tx, `from ${l} where l.tenant_id = ? and l.id > ? and l.import_id = ?`, [
    tenantId,
    firstIdAt(createdOn),
    id,
  ])
  return row?.leads ?? 0
}
