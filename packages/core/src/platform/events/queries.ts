import type { Dialect, Row, Sql, SqlValue } from '../database/database.ts'
import { asInstant, asJson, asNumber, placeholders } from '../database/row.ts'
import type { EventFilter, NewEvent, StoredEvent } from './events.ts'

/** Held until the commit, so that numbers become visible in the order in which they were given. */
const numberLock = 7_261

/** @returns the number of the last of them */
export async function insertEvents(
  tx: Sql,
  dialect: Dialect,
  events: readonly NewEvent[],
  at: Date,
): Promise<number> {
  if (dialect === 'postgresql') await tx.get('select pg_advisory_xact_lock(?)', [numberLock])
  const rows = events.map(() => '(?, ?, ?, ?, ?)').join(', ')
  const values = events.flatMap((event): SqlValue[] => [
    event.tenantId,
    event.type,
    event.subject,
    JSON.stringify(event.data),
    at,
  ])
  const inserted = await tx.all<Row>(
    `insert into event (tenant_id, type, subject, data, at) values ${rows} returning seq`,
    values,
  )
  return Math.max(...inserted.map((row) => asNumber(row.seq)))
}

export async function selectEvents(
  sql: Sql,
  filter: EventFilter,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const conditions = ['seq > ?']
  const params: SqlValue[] = [after]
  if (filter.tenants !== 'all') {
    conditions.push(`tenant_id in (${placeholders(filter.tenants)})`)
    params.push(...filter.tenants)
  }
  if (filter.types) {
    conditions.push(`type in (${placeholders(filter.types)})`)
    params.push(...filter.types)
  }
  if (filter.subject !== undefined) {
    conditions.push('subject = ?')
    params.push(filter.subject)
  }
  const rows = await sql.all<Row>(
    `select seq, tenant_id, type, subject, data, at from event where ${conditions.join(' and ')} order by seq limit ?`,
    [...params, limit],
  )
  return rows.map((row) => ({
    seq: asNumber(row.seq),
    tenantId: row.tenant_id as string | null,
    type: row.type as string,
    subject: row.subject as string,
    data: asJson<Record<string, unknown>>(row.data) ?? {},
    at: asInstant(row.at),
  }))
}

export async function lastNumber(sql: Sql): Promise<number> {
  const row = await sql.get<Row>(
    'select coalesce(max(seq), (select coalesce(max(pruned), 0) from event_mark)) as seq from event',
  )
  return asNumber(row?.seq)
}

/** Everything up to and with this number is gone. */
export async function prunedUpTo(sql: Sql): Promise<number> {
  const row = await sql.get<Row>('select coalesce(max(pruned), 0) as seq from event_mark')
  return asNumber(row?.seq)
}

/** @returns how many events were deleted */
export async function deleteBefore(tx: Sql, before: Date): Promise<number> {
  const last = await tx.get<Row>('select max(seq) as seq from event where at < ?', [before])
  const seq = asNumber(last?.seq)
  if (seq === 0) return 0
  const moved = await tx.run('update event_mark set pruned = ? where id = 1', [seq])
  if (moved === 0) await tx.run('insert into event_mark (id, pruned) values (1, ?)', [seq])
  return tx.run('delete from event where seq <= ?', [seq])
}
