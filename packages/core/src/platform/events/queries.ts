import { type Dialect, placeholders, type Sql, type SqlValue } from '../database/database.ts'
import { count, select, table } from '../database/read.ts'
import { EventRow } from './entities.ts'
import type { EventFilter, NewEvent, StoredEvent } from './events.ts'

const { toString: _, ...columns } = table(EventRow, 'event')
const stored = select(columns)
const given = select({ seq: columns.seq })

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
  const inserted = await given.allOf(
    tx,
    `insert into event (tenant_id, type, subject, data, at) values ${rows} returning ${given.columns}`,
    values,
  )
  return Math.max(...inserted.map(({ seq }) => seq))
}

export function selectEvents(
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
  return stored.all(sql, `from event where ${conditions.join(' and ')} order by seq limit ?`, [
    ...params,
    limit,
  ])
}

const last = select({
  seq: count('coalesce(max(seq), (select coalesce(max(pruned), 0) from event_mark))'),
})

export async function lastNumber(sql: Sql): Promise<number> {
  const row = await last.get(sql, 'from event')
  return row?.seq ?? 0
}

const pruned = select({ seq: count('max(pruned)') })

/** Everything up to and with this number is gone. */
export async function prunedUpTo(sql: Sql): Promise<number> {
  const row = await pruned.get(sql, 'from event_mark')
  return row?.seq ?? 0
}

const newest = select({ seq: count('max(seq)') })

/** @returns how many events were deleted */
export async function deleteBefore(tx: Sql, before: Date): Promise<number> {
  const row = await newest.get(tx, 'from event where at < ?', [before])
  if (!row?.seq) return 0
  const moved = await tx.run('update event_mark set pruned = ? where id = 1', [row.seq])
  if (moved === 0) await tx.run('insert into event_mark (id, pruned) values (1, ?)', [row.seq])
  return tx.run('delete from event where seq <= ?', [row.seq])
}
