import { type Dialect, placeholders, type Sql, type SqlValue } from '../database/database.ts'
import { type NewRow, newRow } from '../database/new-rows.ts'
import { count, type RowOf, select, table } from '../database/read.ts'
import { EventRow, UnnumberedEvent } from './entities.ts'
import type { EventFilter, Happened, NewEvent, StoredEvent } from './events.ts'

const { toString: _, ...columns } = table(EventRow, 'event')
const stored = select(columns)

/** Tells the processes on a PostgreSQL up to which number events have one; the payload is that number. */
export const eventsChannel = 'copydesk_events'

/**
 * On SQLite, whose writers follow one another, events have their numbers at once. On PostgreSQL they wait for `numberEvents`:
 * numbers that are given before the commit become visible out of order, unless every writer waits for the one before.
 */
export function eventRows(dialect: Dialect, events: readonly NewEvent[], at: Date): NewRow[] {
  return events.map((event) =>
    dialect === 'sqlite' ? newRow(EventRow, { ...event, at }) : newRow(UnnumberedEvent, { ...event, at }),
  )
}

const numbering = select({ numbered: count('count(*)'), last: count('max(event.seq)') })

/**
 * Gives numbers to up to `limit` committed events that have none, those of other processes too. The answer is one short row: the
 * database keeps its lock until it has sent all rows, and a process that is paused would not take more than a few.
 * @param sql outside of transactions, so that no process ever holds that lock
 * @returns how many, and the highest number given, 0 when there is none
 */
export async function numberEvents(sql: Sql, limit: number): Promise<RowOf<typeof numbering>> {
  const row = await numbering.get(sql, 'from copydesk_number_events(?) as event', [limit])
  return row ?? { numbered: 0, last: 0 }
}

export function selectEvents(
  sql: Sql,
  filter: EventFilter,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { conditions, params } = conditionsOf(filter)
  const matching = ['seq > ?', ...conditions].join(' and ')
  return stored.all(sql, `from event where ${matching} order by seq limit ?`, [after, ...params, limit])
}

const happening = { type: columns.type, data: columns.data, at: columns.at }
const happened = select(happening)

/** Whatever has happened as a transaction sees it, numbered or not, in no order. */
export async function selectHappened(tx: Sql, filter: EventFilter, limit: number): Promise<Happened[]> {
  const { conditions, params } = conditionsOf(filter)
  const matching = `${happened.columns} from`
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  return happened.allOf(
    tx,
    `select ${matching} event ${where} union all select ${matching} event_unnumbered as event ${where} limit ?`,
    [...params, ...params, limit],
  )
}

function conditionsOf(filter: EventFilter): { conditions: string[]; params: SqlValue[] } {
  const conditions: string[] = []
  const params: SqlValue[] = []
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
  return { conditions, params }
}

const last = select({ seq: count('max(seq)'), pruned: count('(select max(pruned) from event_mark)') })

export async function lastNumber(sql: Sql): Promise<number> {
  const row = await last.get(sql, 'from event')
  return Math.max(row?.seq ?? 0, row?.pruned ?? 0)
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
