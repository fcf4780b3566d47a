import { placeholders, type Sql } from '../../../../platform/database/database.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'
import { beyondOf } from '../order-queries.ts'

const l = table(Lead, 'l')
const made = select(pick(l, 'seq', 'id', 'importId', 'revision', 'createdOn'))

/** How many leads are looked at in one transaction. */
const batch = 500

/** So much may the clocks of servers differ, milliseconds. */
const skewMs = 3_600_000

interface Import {
  id: string
  tenantId: string
  createdOn: Date
}

/**
 * Removes the leads of an import that were not changed since, among the next older leads of the tenant.
 * @param beyond the number of the last lead that was looked at; undefined from the newest one on
 * @returns how many were removed and how many of the import are left, and where to go on; nowhere when older leads were there before it
 */
export async function removeLeads(
  tx: Sql,
  { id, tenantId, createdOn }: Import,
  beyond: number | undefined,
): Promise<{ removed: number; kept: number; last: number | undefined }> {
  const { is, value } = beyondOf({ order: 'desc', beyond })
  const rows = await made.all(
    tx,
    `from ${l} where l.tenant_id = ? and l.seq ${is} ? order by l.seq desc limit ${batch}`,
    [tenantId, value],
  )
  const own = rows.filter(({ importId }) => importId === id)
  const removed = await removeUnchanged(
    tx,
    own.filter(({ revision }) => revision === 0),
  )
  const oldest = rows.at(-1)
  const isBefore = !oldest || oldest.createdOn.getTime() < createdOn.getTime() - skewMs
  return { removed, kept: own.length - removed, last: isBefore ? undefined : oldest.seq }
}

async function removeUnchanged(tx: Sql, leads: ReadonlyArray<{ seq: number; id: string }>): Promise<number> {
  if (leads.length === 0) return 0
  // Once more not changed: a person may have been quicker.
  const numbers = leads.map(({ seq }) => seq)
  const removed = await tx.run(
    `delete from leads where seq in (${placeholders(numbers)}) and revision = 0`,
    numbers,
  )
  const ids = leads.map(({ id }) => id)
  await tx.run(
    `delete from lead_events where lead_id in (${placeholders(ids)}) and lead_id not in (select id from leads where id in (${placeholders(ids)}))`,
    [...ids, ...ids],
  )
  return removed
}
