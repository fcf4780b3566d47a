import type { Row, Sql } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'

/** That an id is refused from some instant on, or let in again. */
export interface AccessChange {
  seq: number
  type: 'access_revoked' | 'access_restored'
  subject: string
  at: Date
}

/**
 * Who was shut out and let in since an instant, in the order in which it happened, however much else did. The types are written out
 * so that both databases use the index on just these events.
 */
export async function accessChangesSince(sql: Sql, since: Date): Promise<AccessChange[]> {
  const rows = await sql.all<Row>(
    `select seq, type, subject, at from event
     where type in ('access_revoked', 'access_restored') and at >= ? order by seq`,
    [since],
  )
  return rows.map((row) => ({
    seq: asNumber(row.seq),
    type: row.type as AccessChange['type'],
    subject: row.subject as string,
    at: asInstant(row.at),
  }))
}
